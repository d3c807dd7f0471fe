// SPDX-License-Identifier: Apache-2.0
// Nothing runs on as if nothing had happened: what is thrown within fit() leaves the trainer where
// it is and a page that says so, and what would be taken for a step of fit() is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "aclgrad/aclgrad.h"
#include "aclgrad/io/file.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

data::Dataset line() {
  return {Tensor::arange(10, -1, 0.3).reshape({10, 1}),
          Tensor::arange(10, 1, -0.2).reshape({10, 1})};
}

// An epoch has three steps.
struct LineRun {
  History fit_for(std::int64_t steps, FitOptions options = {}) {
    options.steps = steps;
    options.evaluate_every = 2;
    options.progress = report::ProgressMode::off;
    return fit(trainer, batches, options);
  }
  void expect_bits_of(const LineRun& other) const {
    EXPECT_EQ(trainer.steps(), other.trainer.steps());
    const NamedTensors own = trainer.tensors(), wanted = other.trainer.tensors();
    ASSERT_EQ(own.names(), wanted.names());
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_TRUE(bitwise_equal(own[i].second, wanted[i].second)) << own[i].first;
    }
    EXPECT_EQ(trainer.next_batch(batches.description()),
              other.trainer.next_batch(batches.description()));
  }

  Linear model{"l", 1, 1};
  WeightAverage average{model, {.decay = 0.5}};
  AdamW adam{{.learning_rate = schedule::cosine(0.1, 2, 12)}};
  Trainer trainer{model, mse_of(model), adam, {.average = &average}};
  data::Batches batches{line(), {.batch_size = 4, .seed = 1}};
};

constexpr int kSteps = 10;

const std::vector<std::pair<const char*, Callback::Event Callback::*>> kEvents = {
    {"begin", &Callback::begin},
    {"before_step", &Callback::before_step},
    {"after_step", &Callback::after_step},
    {"after_evaluation", &Callback::after_evaluation},
    {"after_epoch", &Callback::after_epoch},
    {"progress", &Callback::progress},
    {"finish", &Callback::finish}};

TEST(Failures, InAnyEventOfFitLeaveThePlaceWhereItIs) {
  LineRun whole;
  whole.fit_for(kSteps);
  for (const auto& [name, event] : kEvents) {
    SCOPED_TRACE(name);
    for (int call = 1; call <= kSteps; ++call) {
      LineRun run;
      int calls = 0;
      Callback throwing;
      throwing.*event = [&](FitRun&) {
        if (++calls == call) throw std::runtime_error("no luck");
      };
      int finished = 0;
      throwing.failed = [&](FitRun& failed) {
        ++finished;
        EXPECT_EQ(failed.failure(), "no luck");
      };
      bool threw = false;
      try {
        run.fit_for(kSteps, {.callbacks = {throwing}});
      } catch (const std::runtime_error&) {
        threw = true;
      }
      EXPECT_EQ(finished, threw ? 1 : 0);
      if (!threw) break;  // it is not called so often
      run.fit_for(kSteps - run.trainer.steps());
      run.expect_bits_of(whole);
    }
  }
}

// Who has begun and not finished, also where another one ends the run.
TEST(Failures, AreToldToWhoHasBegunAndNotFinished) {
  struct Counting : TrainingLog {
    int settings = 0, fails = 0, ends = 0;
    void setting(const std::string&, std::string) override { ++settings; }
    void point(const std::string&, const std::string&, double, double) override {}
    void finish() override { ++ends; }
    void fail(const std::string&) override { ++fails; }
  };
  for (const auto& [name, event] : kEvents) {
    for (std::size_t which = 0; which < 3; ++which) {
      SCOPED_TRACE(fmt::format("{} of {}", name, which));
      LineRun run;
      Counting log;
      int begun[3] = {}, finished[3] = {}, failed[3] = {};
      std::vector<Callback> callbacks(3);
      for (std::size_t i = 0; i < 3; ++i) {
        callbacks[i].begin = [&, i](FitRun&) { ++begun[i]; };
        callbacks[i].finish = [&, i](FitRun&) { ++finished[i]; };
        callbacks[i].failed = [&, i](FitRun&) { ++failed[i]; };
      }
      Callback::Event& throwing = callbacks[which].*event;
      throwing = [before = throwing](FitRun& fit_run) {
        if (before) before(fit_run);
        throw std::runtime_error("no luck");
      };
      EXPECT_THROW(run.fit_for(kSteps, {.callbacks = callbacks, .log = &log}), std::runtime_error);
      const bool in_begin = event == &Callback::begin, in_finish = event == &Callback::finish;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(begun[i], !in_begin || i <= which ? 1 : 0) << i;
        EXPECT_EQ(finished[i], in_finish && i <= which ? 1 : 0) << i;
        EXPECT_EQ(failed[i], begun[i] - (in_finish && i < which ? 1 : 0)) << i;
      }
      EXPECT_EQ(log.ends, 0);
      EXPECT_EQ(log.settings > 0, !in_begin);
      EXPECT_EQ(log.fails, 1) << "also where nothing else was told";
    }
  }
}

struct Throwing : TrainingLog {
  int left;
  explicit Throwing(int calls) : left(calls) {}
  void tick() {
    if (left-- == 0) throw std::runtime_error("no luck");
  }
  void point(const std::string&, const std::string&, double, double) override { tick(); }
  void progress(std::int64_t, std::int64_t, std::string) override { tick(); }
  void finish() override { tick(); }
};

// What fit() calls besides callbacks: metrics, hooks of the step, and the log, at any call of it.
TEST(Failures, OfMetricsHooksAndLogsLeaveThePlaceWhereItIs) {
  LineRun whole;
  whole.fit_for(kSteps);
  const auto throws_at = [&](int call, const std::function<FitOptions(LineRun&, int&)>& prepare) {
    LineRun run;
    int left = call;
    const FitOptions options = prepare(run, left);
    try {
      run.fit_for(kSteps, options);
      return false;
    } catch (const std::runtime_error&) {
      run.trainer.remove_hooks();
      run.fit_for(kSteps - run.trainer.steps());
      run.expect_bits_of(whole);
      return true;
    }
  };
  const auto tick = [](int& left) {
    if (left-- == 0) throw std::runtime_error("no luck");
  };
  int call = 0;
  while (throws_at(call, [&](LineRun&, int& left) {
    return FitOptions{.metrics = {{.name = "score", .measure = [&] { return tick(left), 1.0; }}}};
  })) {
    ++call;
  }
  EXPECT_EQ(call, 5) << "evaluations";
  for (call = 0; throws_at(call, [&](LineRun&run, int&left) {
         run.trainer.on_forward("l", [&](const Tensor&) { tick(left); });
         return FitOptions{};
       });) {
    ++call;
  }
  EXPECT_EQ(call, kSteps);
  for (call = 0;; ++call) {
    Throwing log(call);
    if (!throws_at(0, [&](LineRun&, int&) { return FitOptions{.log = &log, .observe = true}; }))
      break;
  }
  EXPECT_GT(call, 3 * kSteps);
}

// A run that saves goes on from its checkpoint, with a rate that goes by evaluations, too.
TEST(Failures, InAnyEventOfFitLeaveACheckpointToGoOnFrom) {
  const auto train = [](const std::filesystem::path& checkpoint, const Callback& callback) {
    Linear model{"l", 1, 1};
    AdamW adam{{.learning_rate = schedule::plateau(0.5, {.factor = 0.5, .patience = 0})}};
    Trainer trainer{model, mse_of(model), adam};
    fit(trainer, data::Batches(line(), {.batch_size = 4, .seed = 1}),
        {.steps = kSteps,
         .evaluate_every = 2,
         .validation = line(),
         .callbacks = {callback},
         .checkpoint = checkpoint,
         .checkpoint_every = checkpoint.empty() ? std::optional<std::int64_t>() : 1,
         .resume = !checkpoint.empty(),
         .progress = report::ProgressMode::off});
    return trainer.tensors();
  };
  const NamedTensors whole = train({}, {});
  for (const auto& [name, event] : kEvents) {
    SCOPED_TRACE(name);
    for (int call = 1; call <= kSteps; ++call) {
      const TemporaryFolder folder;
      int calls = 0;
      Callback throwing;
      throwing.*event = [&](FitRun&) {
        if (++calls == call) throw std::runtime_error("no luck");
      };
      try {
        train(folder.path() / "run", throwing);
        break;
      } catch (const std::runtime_error&) {
      }
      const NamedTensors rest = train(folder.path() / "run", {});
      for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_TRUE(bitwise_equal(rest[i].second, whole[i].second)) << whole[i].first;
      }
    }
  }
}

TEST(Failures, AreOnThePageOfTheRun) {
  for (const auto& [name, event] : kEvents) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const auto path = folder.path() / "page.html";
    LineRun run;
    RunReport page(path);
    Callback throwing;
    throwing.*event = [](FitRun&) { throw std::runtime_error("no <luck>"); };
    EXPECT_THROW(run.fit_for(4, {.callbacks = {throwing}, .log = &page}), std::runtime_error);
    const std::string html = read_file(path);
    EXPECT_THAT(html, AllOf(HasSubstr(">failed</span>"), HasSubstr("no &lt;luck&gt;"),
                            Not(HasSubstr(">running<")), Not(HasSubstr("http-equiv"))));
    EXPECT_EQ(read_run(path).state, RunRecord::State::failed);
    EXPECT_EQ(read_run(path).failure, "no <luck>");
    EXPECT_EQ(read_run(path).done, run.trainer.steps());
    EXPECT_THAT(compare_runs("all", std::vector{read_run(path)}), HasSubstr("no &lt;luck&gt;"));
    run.fit_for(4, {.log = &page});
    EXPECT_EQ(read_run(path).state, RunRecord::State::finished) << "what goes on, ends";
    EXPECT_EQ(read_run(path).failure, "");
  }
  const TemporaryFolder folder;
  const auto path = folder.path() / "page.html";
  LineRun run;
  RunReport page(path);
  data::Dataset nan = line();
  nan.features.set(0, std::nan(""));
  EXPECT_THROW(fit(run.trainer, data::Batches(nan, {.batch_size = 10}),
                   {.log = &page, .progress = report::ProgressMode::off}),
               Diverged);
  EXPECT_THAT(read_run(path).failure, HasSubstr("the loss became nan"));
}

TEST(Failures, OfALoopOfOnesOwnAreOnItsPage) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "page.html";
  try {
    RunReport page(path);
    page.progress(1, 10);
    throw std::runtime_error("no luck");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(read_run(path).state, RunRecord::State::failed);
    RunReport(folder.path() / "other.html").progress(1, 10);
  }
  EXPECT_EQ(read_run(folder.path() / "other.html").state, RunRecord::State::stopped);
}

TEST(Failures, ThatNothingCatchesAreOnThePage) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "page.html", other = folder.path() / "other.html";
  const std::function<void()> fail = [] { throw std::runtime_error("no luck at all"); };
  const auto end = [&]() noexcept {
    RunReport page(path), finished(other);
    page.progress(1, 10);
    finished.finish();
    fail();
  };
  EXPECT_DEATH(end(), "no luck at all");
  EXPECT_EQ(read_run(path).state, RunRecord::State::failed);
  EXPECT_EQ(read_run(path).failure, "no luck at all");
  EXPECT_EQ(read_run(other).state, RunRecord::State::finished);
}

// Whatever fit() or a step calls must not step: it would count as theirs.
TEST(Steps, WithinARunAreRefused) {
  const auto refused = [](LineRun& run, const std::function<void()>& work) {
    EXPECT_THAT(message_of<ValueError>(work), HasSubstr("was called within its fit()"));
    EXPECT_EQ(run.trainer.next_batch("other"), data::Position());
  };
  for (const auto& [name, event] : kEvents) {
    SCOPED_TRACE(name);
    LineRun run, whole;
    int calls = 0;
    Callback stepping;
    stepping.*event = [&](FitRun& of) {
      ++calls;
      refused(run, [&] { of.trainer().step(line()); });
      refused(run, [&] { of.trainer().restore({}, line()); });
      refused(run, [&] { of.trainer().set_next_batch("other", {1, 0}); });
      refused(run, [&] { run.fit_for(1); });
    };
    EXPECT_EQ(run.fit_for(kSteps, {.callbacks = {stepping}}).steps, kSteps);
    whole.fit_for(kSteps);
    run.expect_bits_of(whole);
    EXPECT_GT(calls, 0);
  }
  LineRun run;
  run.fit_for(2, {.metrics = {{.name = "score", .measure = [&] {
                                 refused(run, [&] { run.trainer.step(line()); });
                                 return 0.0;
                               }}}});
  EXPECT_EQ(run.trainer.steps(), 2);
  run.trainer.on_forward("l", [&](const Tensor&) {
    EXPECT_THAT(message_of<ValueError>([&] { run.trainer.step(line()); }),
                HasSubstr("step() of a trainer was called within its step()"));
  });
  run.trainer.step(line());
  EXPECT_EQ(run.trainer.steps(), 3);
}

// Another trainer may: two of them take turns, as in a GAN.
TEST(Steps, OfAnotherTrainerMayStandInACallback) {
  LineRun one, other;
  one.fit_for(
      3, {.callbacks = {{.after_step = [&](FitRun& run) { other.trainer.step(run.batch()); }}}});
  EXPECT_EQ(other.trainer.steps(), 3);
  one.expect_bits_of(one);
  EXPECT_TRUE(bitwise_equal(one.model.weight().value(), other.model.weight().value()));
}

TEST(Averages, OfAnotherModelAreRefused) {
  const Linear model("l", 1, 1), same("l", 1, 1);
  Sgd sgd;
  const auto trainer_with = [&](WeightAverage& average) {
    Trainer trainer(model, mse_of(model), sgd, {.average = &average});
    return trainer.steps();
  };
  WeightAverage of_other(same), of_clone(clone(model)), own(model), of_copy(Linear{model});
  for (WeightAverage* wrong : {&of_other, &of_clone}) {
    EXPECT_THAT(message_of<ValueError>([&] { trainer_with(*wrong); }),
                HasSubstr("the trainer's `average` is of another model: `l.weight`"));
  }
  EXPECT_EQ(trainer_with(own), 0);
  EXPECT_EQ(trainer_with(of_copy), 0) << "another handle of the same one";
}

// Averaged parts need not be all, as long as the others are not trained.
TEST(Averages, MustBeOfWhatIsTrained) {
  const Linear a("a", 1, 1), b("b", 1, 1);
  const Sequential model("net", a, b);
  WeightAverage average(a);
  Sgd sgd;
  const auto loss = mse_of(model);
  EXPECT_THROW(Trainer(model, loss, sgd, {.average = &average}), ValueError);
  b.freeze();
  Trainer trainer(model, loss, sgd, {.average = &average});
  trainer.step(line());
  b.unfreeze();
  EXPECT_THROW(trainer.step(line()), ValueError);
  EXPECT_EQ(trainer.steps(), 1);
}

TEST(Averages, NothingIsTrainedOrSavedInTheirPlace) {
  LineRun run;
  run.trainer.step(line());
  run.trainer.step(line());
  const Tensor weight = run.model.weight().value();
  const std::vector<std::function<void()>> all = {
      [&] { run.trainer.step(line()); }, [&] { run.fit_for(1); }, [&] { run.trainer.tensors(); },
      [&] { run.trainer.restore({}, line()); }, [&] { run.average.update(); }};
  for (const auto& work : all) {
    EXPECT_THAT(message_of<ValueError>([&] { run.average.with_averages(work); }),
                HasSubstr("within with_averages()"));
    EXPECT_TRUE(bitwise_equal(run.model.weight().value(), weight));
    EXPECT_EQ(run.trainer.steps(), 2);
    EXPECT_EQ(run.average.updates(), 2);
  }
  // What the average knows nothing of is found out afterwards.
  Sgd sgd;
  Trainer other(run.model, mse_of(run.model), sgd);
  EXPECT_THAT(
      message_of<ValueError>([&] { run.average.with_averages([&] { other.step(line()); }); }),
      HasSubstr("has changed `l.weight`"));
  EXPECT_TRUE(bitwise_equal(run.model.weight().value(), weight));
  double loss = 0;
  run.average.with_averages([&] { loss = run.trainer.evaluate(line()); });
  EXPECT_GT(loss, 0);
}

// The page and the log are a user's, too: what fit() adds does not take the place of theirs.
TEST(Names, OfSettingsAndMetricsAreTheUsers) {
  const TemporaryFolder folder;
  LineRun run;
  RunReport page(folder.path() / "page.html");
  run.fit_for(2, {.settings = {{"steps", "mine"}, {"fit: steps", "mine, too"}}, .log = &page});
  EXPECT_THAT(page.record().settings,
              testing::IsSupersetOf({std::pair(std::string("steps"), std::string("mine")),
                                     std::pair(std::string("fit: steps"), std::string("mine, too")),
                                     std::pair(std::string("fit: fit: steps"), std::string("2"))}));
  const auto metric = [](const char* name, const char* chart) {
    return Metric{.name = name, .measure = [] { return 0.0; }, .chart = chart};
  };
  for (const Metric& taken : {metric("mean", "Loss"), metric("Learning rate", "")}) {
    EXPECT_THAT(message_of<ValueError>([&] { run.fit_for(1, {.metrics = {taken}, .log = &page}); }),
                HasSubstr("where the log has one of that name"));
    run.fit_for(1, {.metrics = {taken}});
  }
  run.fit_for(1, {.metrics = {metric("mine", "Loss"), metric("Loss", "")}, .log = &page});
}

}  // namespace
}  // namespace aclgrad
