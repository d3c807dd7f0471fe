// SPDX-License-Identifier: Apache-2.0
// libfmt's code for the libraries under the vendor's names: compiled once, hidden in each of them,
// so that they need no libfmt.so and none of their own files compiles it again. The instances are
// those that libfmt's headers declare `extern`.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;

template locale_ref::locale_ref(const std::locale& locale);
template auto locale_ref::get<std::locale>() const -> std::locale;

template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
#if FMT_VERSION < 110000
template void buffer<char>::append(const char* begin, const char* end);
template void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                         locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
