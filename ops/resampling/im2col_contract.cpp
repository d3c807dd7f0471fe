// SPDX-License-Identifier: Apache-2.0
// Windows of images as columns, columns added up, slices added up.
#include <stdexcept>

#include "aclnnop/aclnn_im2col.h"
#include "aclnnop/aclnn_im2col_backward.h"
#include "aclnnop/aclnn_unfold_grad.h"
#include "ops/resampling/axes_contract.h"

namespace aclgrad::contract {
namespace {

// Files are compiled together.
namespace columns {

// ---- Columns ------------------------------------------------------------------------------------

struct Along {
  int64_t in, kernel, dilation, padding, stride;

  int64_t windows() const { return (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }
  // Place in the image; beside it for some windows.
  int64_t place(int64_t window, int64_t tap) const {
    return window * stride - padding + tap * dilation;
  }
};

struct Image {
  Along rows, columns;
  int64_t planes;  // channels of all images
};

Image image_of(const Arguments& a) {
  const Shape& shape = a.shape(a.has("self") ? "self" : "out");
  const Shape sizes = last_sizes(shape, 2);
  const auto along = [&](size_t k) {
    const auto value = [&](const char* name) {
      const Shape& values = a.array(name);
      if (values.empty() || values.size() > 2) throw std::invalid_argument("one value or two");
      return values[values.size() - 1 - (values.size() == 2 ? 1 - k : 0)];
    };
    const Along all{sizes[k], value("kernelSize"), value("dilation"), value("padding"),
                    value("stride")};
    if (all.kernel < 1 || all.dilation < 1 || all.padding < 0 || all.stride < 1 ||
        all.in + 2 * all.padding < all.dilation * (all.kernel - 1) + 1) {
      throw std::invalid_argument("the windows do not fit");
    }
    return all;
  };
  return {along(0), along(1), count_of(shape) / (sizes[0] * sizes[1])};
}

// Calls visit(place in the columns, place in the image) for what is in the image.
template <class Visit>
void for_each_copy(const Image& image, const Visit& visit) {
  const auto& [rows, columns, planes] = image;
  int64_t to = 0;
  for (int64_t row = 0; row < planes * rows.kernel * columns.kernel; ++row) {
    const int64_t plane = row / columns.kernel / rows.kernel;
    for (int64_t window = 0; window < rows.windows() * columns.windows(); ++window, ++to) {
      const int64_t h = rows.place(window / columns.windows(), row / columns.kernel % rows.kernel);
      const int64_t w = columns.place(window % columns.windows(), row % columns.kernel);
      if (h < 0 || h >= rows.in || w < 0 || w >= columns.in) continue;
      visit(static_cast<size_t>(to), static_cast<size_t>((plane * rows.in + h) * columns.in + w));
    }
  }
}

Shape columns_shape(const Arguments& a, Shape shape) {
  const Image image = image_of(a);
  shape.pop_back();
  shape.back() = image.rows.windows() * image.columns.windows();
  shape[shape.size() - 2] *= image.rows.kernel * image.columns.kernel;
  return shape;
}

Sample windows(Shape kernel, Shape dilation, Shape padding, Shape stride) {
  return {
      {{"kernelSize", kernel}, {"dilation", dilation}, {"padding", padding}, {"stride", stride}}};
}

const std::vector<Sample> kWindows = {windows({2, 3}, {1, 2}, {1, 0}, {2, 1}),
                                      windows({2}, {1}, {0}, {2}),
                                      windows({1, 2}, {2}, {3}, {1, 3})};
const Shape kImage = {1, 2, 4, 6}, kColumns = {1, 8, 6};

std::vector<Parameter> arrays() {
  return {values("kernelSize", {2, 2}), values("dilation", {1, 1}), values("padding", {0, 0}),
          values("stride", {2, 2})};
}

Domain of_images(const char* base) {
  return {.everywhere = kFloatsAndDouble,
          .max_rank = 4,
          .grows = false,
          .base = base,
          .base_shape = {kN, 2, 4, 6},
          .arrange =
              [base](Arguments& a) {
                const Shape image = a.shape(base);
                a.reshape({a.has("self") ? "out" : "gradOutput"}, columns_shape(a, image));
                if (a.has("inputSize")) a.array("inputSize") = last_sizes(image, 2);
              },
          .samples = kWindows,
          .value_samples = {{windows({3}, {1}, {1}, {1}).settings}}};
}

std::vector<ErrorInput> wrong_windows() {
  return {wrong_values("kernelSize", "= [0]", {0}, "is [0]"),
          wrong_values("dilation", "= [0]", {0}, "is [0]"),
          wrong_values("padding", "= [-1]", {-1}, "is [-1]"),
          wrong_values("stride", "of three values", {1, 1, 1}, "[1, 1, 1]"),
          wrong_values("kernelSize", "= [9, 1]", {9, 1}, "[9, 1]")};
}

void add_columns(std::vector<Operator>& all) {
  const auto reference = [](const Arguments& a, const Arrays& in) {
    Array out = dense::full(columns_shape(a, in[0].shape));
    for_each_copy(image_of(a),
                  [&](size_t to, size_t from) { out.values[to] = in[0].values[from]; });
    return Arrays{out};
  };
  Operator forward{.call = ACLGRAD_CALL(aclnnIm2col), .domain = of_images("self")};
  forward.call.parameters = std::vector<Parameter>{shaped(in("self"), kImage)} + arrays() +
                            std::vector<Parameter>{shaped(out("out"), kColumns)};
  forward.domain.everywhere = without(without(kNumbers, ACL_COMPLEX64), ACL_COMPLEX128);
  forward.results = {.reference = reference, .bound = {.of_float = 0.5001}};
  forward.error_inputs = wrong_spatial("self", kImage) + wrong_windows();
  forward.words = {"the elements under each window as a column", "滑动窗口展开为列",
                   "unfold(x, kernel, options)"};
  all.push_back(forward);

  const auto sums = [](bool magnitudes) {
    return [magnitudes](const Arguments& a, const Arrays& in) {
      Array out = dense::full(a.shape("out"));
      for_each_copy(image_of(a), [&](size_t to, size_t from) {
        out.values[from] += magnitudes ? std::abs(in[0].values[to]) : in[0].values[to];
      });
      return Arrays{out};
    };
  };
  Operator backward{.call = ACLGRAD_CALL(aclnnIm2colBackward), .domain = of_images("out")};
  backward.call.parameters = std::vector<Parameter>{shaped(in("gradOutput"), kColumns),
                                                    no_option(values("inputSize", {4, 6}))} +
                             arrays() + std::vector<Parameter>{shaped(out("out"), kImage)};
  backward.results = {.reference = sums(false), .bound = kSumOfAxes, .magnitude = sums(true)};
  backward.gradient = Gradient{.of = "aclnnIm2col",
                               .inputs = [](const Arguments&, const Arrays&, const Arrays&,
                                            const Array& gradient) { return Arrays{gradient}; }};
  backward.error_inputs = wrong_spatial("out", kImage) + wrong_windows();
  backward.error_inputs.push_back(wrong_values("inputSize", "= [6, 4]", {6, 4}, "[6, 4]"));
  backward.words = {"columns added up to images", "将列累加还原为图像",
                    "fold(columns, size, kernel, options)", "im2col"};
  all.push_back(backward);
}

// ---- Slices of a dimension ----------------------------------------------------------------------

void add_slices_gradient(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    Shape shape = a.shape("gradIn");
    a.array("inputSizes") = shape;
    if (shape.empty()) throw std::invalid_argument("a scalar has no slices");
    const auto dim = static_cast<int64_t>(a.number("dim"));
    const auto n = static_cast<int64_t>(shape.size());
    if (dim < -n || dim >= n) throw std::invalid_argument("dim does not fit");
    int64_t& extent = shape[static_cast<size_t>(dim < 0 ? dim + n : dim)];
    const auto size = static_cast<int64_t>(a.number("size"));
    if (size > extent) throw std::invalid_argument("size does not fit");
    extent = (extent - size) / static_cast<int64_t>(a.number("step")) + 1;
    shape.push_back(size);
    a.shape("gradOut") = shape;
  };
  const auto sums = [](bool magnitudes) {
    return [magnitudes](const Arguments& a, const Arrays& in) {
      Array out = dense::full(a.shape("gradIn"));
      const size_t axis = axis_of(a, out.shape);
      const auto step = static_cast<int64_t>(a.number("step"));
      return Arrays{dense::generate(out.shape, [&](const Shape& at) {
        Number sum = 0;
        for (int64_t l = 0; l < in[0].shape[axis]; ++l) {
          Shape from = at;
          from[axis] = l;
          from.push_back(at[axis] - l * step);
          if (from.back() < 0 || from.back() >= in[0].shape.back()) continue;
          const Number term = dense::at(in[0], from);
          sum += magnitudes ? std::abs(term) : term;
        }
        return sum;
      })};
    };
  };
  const auto sample = [](double dim, double size, double step) {
    return Sample{{{"dim", dim}, {"size", size}, {"step", step}}};
  };
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnUnfoldGrad, shaped(in("gradOut"), {2, 2, 3}),
                            values("inputSizes", {2, 5}), integer("dim", 1), integer("size", 3),
                            integer("step", 2), shaped(out("gradIn"), {2, 5})),
       .domain = {.everywhere = kFloatsAndDouble,
                  .max_rank = 8,
                  .grows = false,
                  .base = "gradIn",
                  .base_shape = {2, 5, 4},
                  .arrange = arrange,
                  .samples = {sample(1, 3, 2), sample(-1, 2, 1), sample(-2, 1, 3),
                              sample(1, 5, 1)}},
       .results = {.reference = sums(false), .bound = kSumOfAxes, .magnitude = sums(true)},
       .error_inputs = {wrong_number("dim", 2, "[-2, 1]"), wrong_number("size", 6, "6"),
                        wrong_number("step", 0, "0"),
                        wrong_values("inputSizes", "= [5, 2]", {5, 2}, "[5, 2]")},
       .words = {"slices of a dimension added up", "沿一维滑动切片的梯度", "", "unfold_grad"}});
}

}  // namespace columns
}  // namespace

void add_im2col(std::vector<Operator>& all) {
  columns::add_columns(all);
  columns::add_slices_gradient(all);
}

}  // namespace aclgrad::contract
