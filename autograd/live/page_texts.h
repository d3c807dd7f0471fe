// SPDX-License-Identifier: Apache-2.0
// The files of live/page as the build embeds them.
#pragma once

#include <string_view>

namespace aclgrad::live {

std::string_view live_html();
std::string_view live_css();
std::string_view editor_js();
std::string_view exchange_js();
std::string_view formulas_js();
std::string_view guide_js();
std::string_view guide_words_js();
std::string_view link_js();
std::string_view live_js();
std::string_view markdown_js();
std::string_view norms_js();
std::string_view panel_js();
std::string_view pictures_js();
std::string_view present_js();
std::string_view stream_js();

}  // namespace aclgrad::live
