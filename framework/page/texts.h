// SPDX-License-Identifier: Apache-2.0
// The style sheets and scripts of the pages. Each stands in a file of its own name; the build turns
// them into these functions (framework/CMakeLists.txt).
#pragma once

#include <string_view>

namespace aclgrad::page {

std::string_view shared_css();
std::string_view shared_js();
std::string_view graph_css();
std::string_view layout_js();
std::string_view fold_js();
std::string_view graph_js();
std::string_view view_js();
std::string_view run_css();
std::string_view chart_js();
std::string_view run_js();

}  // namespace aclgrad::page
