// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "run/run_page.h"

namespace aclgrad {
namespace {

// The entry of a list with this title or name; made at its end when there is none.
template <class Entry, class Name>
Entry& entry(std::vector<Entry>& list, Name Entry::*name, const std::string& wanted) {
  const auto found = std::ranges::find(list, wanted, name);
  if (found != list.end()) return *found;
  Entry& made = list.emplace_back();
  made.*name = wanted;
  return made;
}

// So that long runs keep histories of some length: every other one goes when there are too many.
void thin(std::vector<ActivationSummary>& history) {
  constexpr std::size_t kMax = 64;
  if (history.size() <= kMax) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const bool last = i + 1 == history.size();
    if (i % 2 == 0 || last) std::swap(history[kept++], history[i]);
  }
  history.resize(kept);
}

// Halves the number of a curve's points.
void merge_pairs(std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size() / 2; ++i) {
    values[i] = (values[2 * i] + values[2 * i + 1]) / 2;
  }
  values.resize(values.size() / 2);
}

// Where nothing catches an exception, nothing is unwound either, and no destructor writes a page:
// the reports of the thread that ends the program do it before.
class OpenReports {
 public:
  static OpenReports& all() {
    static auto* const reports = new OpenReports;  // outlives static reports
    return *reports;
  }
  void add(RunReport* report) {
    const std::lock_guard lock(mutex_);
    if (before_ == nullptr) before_ = std::set_terminate([] { all().terminate(); });
    reports_.emplace_back(report, std::this_thread::get_id());
  }
  void remove(RunReport* report) {
    const std::lock_guard lock(mutex_);
    std::erase_if(reports_, [&](const auto& open) { return open.first == report; });
  }

 private:
  void terminate() {
    if (const std::exception_ptr thrown = std::current_exception()) {
      std::string why = "an exception that is no std::exception";
      try {
        std::rethrow_exception(thrown);
      } catch (const std::exception& error) {
        why = error.what();
      } catch (...) {
      }
      const std::unique_lock lock(mutex_, std::try_to_lock);
      for (const auto& [report, thread] : lock ? reports_ : Reports()) {
        if (thread != std::this_thread::get_id()) continue;
        if (report->record().state != RunRecord::State::running) continue;
        try {
          report->fail(why);
        } catch (...) {
          // The program ends by the exception that nothing caught.
        }
      }
    }
    before_();
  }

  using Reports = std::vector<std::pair<RunReport*, std::thread::id>>;
  std::mutex mutex_;
  Reports reports_;
  std::terminate_handler before_ = nullptr;
};

}  // namespace

RunReport::RunReport(const std::filesystem::path& path, RunReportOptions options)
    : path_(absolute_path(path)),
      options_(std::move(options)),
      exceptions_(std::uncaught_exceptions()) {
  if (!(options_.write_every_s >= 0)) {
    throw ValueError(fmt::format("`write_every_s` is at least 0, not {}", options_.write_every_s));
  }
  record_.title = options_.title;
  record_.page = path_.filename().string();
  OpenReports::all().add(this);
}

RunReport::~RunReport() {
  OpenReports::all().remove(this);
  if (!written_ || record_.state != RunRecord::State::running) return;
  record_.state = std::uncaught_exceptions() > exceptions_ ? RunRecord::State::failed
                                                           : RunRecord::State::stopped;
  try {
    write();
  } catch (const std::exception&) {
    // The run ended by an exception, which must get through; the page stays as it is.
  }
}

void RunReport::setting(const std::string& name, std::string text) {
  using Setting = std::pair<std::string, std::string>;
  entry(record_.settings, &Setting::first, name).second = std::move(text);
}

void RunReport::point(const std::string& chart, const std::string& curve, double x, double y) {
  constexpr std::size_t kMaxPoints = 2048;
  RunRecord::Chart& wanted = entry(record_.charts, &RunRecord::Chart::title, chart);
  report::Series& series = entry(wanted.series, &report::Series::name, curve);
  Pending& pending = pending_[{chart, curve}];
  if (pending.count > 0) {  // the latest value gives way to the mean of its group
    if (pending.count < pending.values_per_point) {
      series.x.pop_back();
      series.y.pop_back();
    } else {
      series.x.back() = pending.x / static_cast<double>(pending.count);
      series.y.back() = pending.y / static_cast<double>(pending.count);
      pending = {.values_per_point = pending.values_per_point};
    }
  }
  if (pending.count == 0 && series.x.size() == kMaxPoints) {
    merge_pairs(series.x);
    merge_pairs(series.y);
    pending.values_per_point *= 2;
    wanted.values_per_point = std::max(wanted.values_per_point, pending.values_per_point);
  }
  ++pending.count;
  pending.x += x;
  pending.y += y;
  series.x.push_back(x);
  series.y.push_back(y);
}

void RunReport::look(const std::string& chart, ChartLook look) {
  RunRecord::Chart& wanted = entry(record_.charts, &RunRecord::Chart::title, chart);
  wanted.x_label = std::move(look.x_label);
  wanted.y_label = std::move(look.y_label);
  wanted.log_y = look.log_y;
}

void RunReport::mark(const std::string& name, double x) {
  using Mark = std::pair<std::string, double>;
  entry(record_.marks, &Mark::first, name).second = x;
}

void RunReport::activations(const std::string& layer, std::int64_t step, const Tensor& outputs) {
  std::vector<ActivationSummary>& history =
      entry(record_.layers, &RunRecord::Layer::name, layer).history;
  const double first_rms = history.empty() ? 0 : history.front().layer_rms;
  history.push_back(summarize_activations(outputs, step, first_rms));
  thin(history);
}

void RunReport::picture(const std::string& title, std::string svg) {
  entry(pictures_, &run::Picture::first, title).second = std::move(svg);
}

void RunReport::progress(std::int64_t done, std::int64_t total, std::string note) {
  if (record_.state == RunRecord::State::failed) {
    record_.state = RunRecord::State::running;
    record_.failure.clear();
  }
  record_.done = done;
  record_.total = total;
  record_.note = std::move(note);
  const double since = std::chrono::duration<double>(Clock::now() - written_at_).count();
  if (!written_ || since >= options_.write_every_s) write();
}

void RunReport::finish() {
  record_.state = RunRecord::State::finished;
  write();
}

void RunReport::fail(const std::string& why) {
  record_.state = RunRecord::State::failed;
  record_.failure = why;
  write();
}

void RunReport::write() {
  write_file_atomically(path_, html());
  written_at_ = Clock::now();
  written_ = true;
}

std::string RunReport::html() const {
  const double every = std::clamp(std::ceil(options_.write_every_s), 1.0, 3600.0);
  return run::run_page(record_, pictures_, static_cast<int>(every));
}

RunRecord read_run(const std::filesystem::path& page) {
  constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"data\">";
  const std::string html = read_file(page);
  const std::size_t at = html.find(kBegin);
  const std::size_t end = html.find("</script>", at);
  if (at == std::string::npos || end == std::string::npos) {
    throw ValueError(fmt::format("{}: not the page of a run", page.string()));
  }
  try {
    const std::size_t begin = at + kBegin.size();
    return run::from_json(nlohmann::json::parse(html.substr(begin, end - begin)));
  } catch (const std::exception& error) {  // the JSON library's and ours
    throw ValueError(fmt::format("{}: not the page of a run: {}", page.string(), error.what()));
  }
}

}  // namespace aclgrad
