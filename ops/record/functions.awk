# SPDX-License-Identifier: Apache-2.0
# Writes, from the text of the public headers, a function of every name that is declared there: it goes through Pass
# (pass.h). Left out are aclgrad's own functions but those that queue work or change what operators take, and those of any number
# of arguments, which can only be passed on by whom they mean: such calls reach the library behind by themselves.
/^#/ { next }
{
  sub(/\/\/.*/, "")
  if (in_comment) {
    if ((end = index($0, "*/")) == 0) next
    $0 = substr($0, end + 2)
    in_comment = 0
  }
  while ((start = index($0, "/*")) > 0) {
    rest = substr($0, start)
    end = index(rest, "*/")
    in_comment = end == 0
    $0 = substr($0, 1, start - 1) (in_comment ? "" : substr(rest, end + 2))
  }
  text = text $0 " "
  while ((start = index(text, "ACL_FUNC_VISIBILITY ")) > 0) {
    text = substr(text, start)
    if ((end = index(text, ");")) == 0) next
    declaration = substr(text, 21, end - 20)
    gsub(/[ \t]+/, " ", declaration)
    write_function(declaration)
    text = substr(text, end + 2)
  }
  text = ""
}
function write_function(declaration,    open, head, name, result, parameters, names, values, several, each, k, parameter) {
  open = index(declaration, "(")
  head = substr(declaration, 1, open - 1)
  if (head !~ /^[A-Za-z_][A-Za-z0-9_ *]*[ *][A-Za-z0-9_]+$/) return
  name = head
  sub(/.*[ *]/, "", name)
  result = substr(head, 1, length(head) - length(name))
  sub(/ $/, "", result)
  parameters = substr(declaration, open + 1, length(declaration) - open - 1)
  if ((name ~ /^aclgrad/ && name !~ /^aclgrad(Launch|ModelMoveTensor|SetAcceptDouble)/) || index(parameters, "...") || name in seen) return
  seen[name] = 1
  if (parameters == "void") parameters = ""
  names = ""
  values = ""
  several = split(parameters, each, ",")
  for (k = 1; k <= several; ++k) {
    if (match(each[k], /\(\*[A-Za-z0-9_]+\)/)) {  # a pointer to a function
      parameter = substr(each[k], RSTART + 2, RLENGTH - 3)
    } else {
      match(each[k], /[A-Za-z0-9_]+(\[[^]]*\])*$/)
      parameter = substr(each[k], RSTART, RLENGTH)
      sub(/\[.*/, "", parameter)
    }
    names = names (k > 1 ? "," : "") parameter
    values = values ", " parameter
  }
  printf "%s %s(%s) {\n  static constinit Function function(\"%s\", \"%s\");\n", result, name, parameters, name, names
  printf "  return Pass<decltype(::%s)>::call(function%s);\n}\n", name, values
}
