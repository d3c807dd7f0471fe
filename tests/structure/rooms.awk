# SPDX-License-Identifier: Apache-2.0
# Reads lines "FILE:#include ..." of the tree and draws its rooms, each with those that it includes,
# the highest first. What a room reaches through another that it includes is left out. Fails where
# rooms include each other.
function room_of_file(file, part, count) {
  count = split(file, part, "/")
  if (part[1] == "distributed") return "distributed"
  if (part[1] == "autograd")
    return "autograd/" (part[2] ~ /^(engine|rules)$/ ? "engine, rules" : part[2]) (part[3] == "tool" ? "/tool" : "")
  if (part[1] "/" part[2] == "ops/common") return "C headers"
  if (part[1] == "ops") return part[1] "/" part[2]
  return "framework/" (part[2] ~ /^(data|io)$/ ? "data, io" : part[2])
}
# The room of a public header is what its folder says; of one in no folder, that of the source of its name.
function room_of_header(name, library, part) {
  if (name in given) return given[name]
  if (split(name, part, "/") == 3) {
    if (part[2] == "ops") return "framework/graph"
    if (part[2] ~ /^(gradcheck|train)$/) return "autograd/" part[2]
    return library == "framework" ? room_of_file(name) : library
  }
  if (library SUBSEP part[2] in source) return source[library, part[2]]
  return library == "framework" ? "framework/tensor" : "distributed"
}
function room(file) {
  if (match(file, /include\/aclgrad\//))
    return room_of_header(substr(file, RSTART + 8), substr(file, 1, index(file, "/") - 1))
  return room_of_file(file)
}
function target(name, first) {
  if (name in public) return room(public[name])
  first = substr(name, 1, index(name, "/") - 1)
  if (name ~ /^(acl|aclgrad_common|aclnn|aclnnop|hccl)\// || name == "aclgrad_ext.h") return "C headers"
  if (first == "aclgrad_contract") return "ops/contract"
  if (first == "ops") return room_of_file(name)
  if (first ~ /^(engine|gradcheck|live|replay|rules|train)$/) return room_of_file("autograd/" name)
  if ("framework/" first in folders) return room_of_file("framework/" name)
  return ""
}
BEGIN {
  FS = ":"
  given["aclgrad/live.h"] = "autograd/live"
  given["aclgrad/aclgrad.h"] = "autograd/train"
  given["aclgrad/gradcheck.h"] = "autograd/gradcheck"
  given["aclgrad/rule.h"] = "autograd/engine, rules"
  given["aclgrad/ops.h"] = "framework/graph"
  given["aclgrad/nn.h"] = "framework/nn"
  given["aclgrad/data.h"] = "framework/data, io"
  given["aclgrad/optim.h"] = "framework/optim"
  given["aclgrad/report.h"] = "framework/report"
  given["aclgrad/terminal.h"] = given["aclgrad/training_log.h"] = "framework/terminal"
  given["aclgrad/viz.h"] = "framework/viz"
}
{
  file = $1
  name = $2
  sub(/^[^<"]*[<"]/, "", name)
  sub(/[>"].*$/, "", name)
  library = substr(file, 1, index(file, "/") - 1)
  split(file, part, "/")
  folders[part[1] "/" part[2]] = 1
  if (match(file, /include\/aclgrad\//)) public[substr(file, RSTART + 8)] = file
  if (sub(/\.cpp$/, ".h", part[3])) source[library, part[3]] = room_of_file(file)
  files[++lines] = file
  names[lines] = name
}
END {
  for (i = 1; i <= lines; ++i) {
    if (files[i] ~ /aclgrad\/(format|aclgrad)\.h$|^ops\/include/) continue  # know all types
    from = room(files[i])
    to = target(names[i])
    if (from != "C headers") rooms[from] = 1
    if (to == "" || to == from) continue
    edge[from, to] = closure[from, to] = 1
    rooms[to] = 1
  }
  for (a in rooms) {  # sorted by name
    for (i = ++count; i > 1 && a < sorted[i - 1]; --i) sorted[i] = sorted[i - 1]
    sorted[i] = a
  }
  for (b in rooms)
    for (a in rooms)
      if ((a, b) in closure)
        for (c in rooms)
          if ((b, c) in closure) closure[a, c] = 1
  for (i = 1; i <= count; ++i)
    if ((sorted[i], sorted[i]) in closure) {
      print "rooms include each other by way of " sorted[i]
      broken = 1
    }
  if (broken) exit 1
  # The level of a room: one above all that it includes.
  for (changed = 1; changed;) {
    changed = 0
    for (pair in edge) {
      split(pair, ab, SUBSEP)
      if (level[ab[1]] > level[ab[2]]) continue
      level[ab[1]] = level[ab[2]] + 1
      changed = 1
      if (level[ab[1]] > top) top = level[ab[1]]
    }
  }
  draw(0)
  print "══ the C API boundary: ops/include ═════════════════════════════════════"
  draw(1)
}
# The rooms below the boundary, or those above it.
function draw(below, l, i) {
  for (l = top; l > 0; --l)
    for (i = 1; i <= count; ++i)
      if (level[sorted[i]] == l && (sorted[i] ~ /^ops/) == below)
        printf "%-24s→ %s\n", sorted[i], included(sorted[i])
}
function included(a, b, c, i, k, direct, text) {
  for (i = 1; i <= count; ++i) {
    b = sorted[i]
    direct = (a, b) in edge
    for (k = 1; k <= count; ++k) {
      c = sorted[k]
      if ((a, c) in edge && (c, b) in closure) direct = 0
    }
    if (direct) text = text (text == "" ? "" : " · ") b
  }
  return text
}
