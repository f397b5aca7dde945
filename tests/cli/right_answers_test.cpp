// SPDX-License-Identifier: Apache-2.0

// The program's answers against known ones: certified values, fits in 80-digit arithmetic, direct solvers. Whatever is
// asked, an answer is right or is said not to be.

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "data/csv.hpp"
#include "data/dataset.hpp"
#include "data/npy.hpp"
#include "linalg/kernels.hpp"
#include "support/answer.hpp"
#include "support/direct_solver.hpp"

namespace fedrk {
namespace {

using test::answer;
using test::Answer;
using test::estimates;
using test::expect_solved;
using test::expect_unsolved;
using test::json;
using test::kTestData;
using test::relative_error;
using test::worst_error;

class RightAnswers : public testing::Test {
 protected:
  json reference(const std::string& name) const { return test::read_json(kTestData + "reference.json")[name]; }

  // Of tests/data/reference.json.
  Answer fit(const json& of, const std::string& more) const {
    return answer(program, "fit " + kTestData + of["file"].get<std::string>() + " --target " +
                               of["target"].get<std::string>() + " " + more);
  }

  LinearSystem generate(const std::string& arguments) const {
    const auto made = program.run("generate " + arguments + " --out problem --overwrite");
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return read("problem/A.npy", "problem/b.npy");
  }
  LinearSystem read(const std::string& matrix, const std::string& rhs) const {
    return {*io::read_npy(program.path(matrix)), vector(rhs)};
  }
  std::vector<double> vector(const std::string& file) const {
    const Matrix read = *io::read_npy(program.path(file));
    std::vector<double> values;
    for (std::size_t i = 0; i < read.rows(); ++i) values.push_back(read.row(i)[0]);
    return values;
  }
  void write(const Matrix& matrix, std::span<const double> rhs) const {
    std::filesystem::create_directory(program.path("problem"));
    ASSERT_TRUE(io::write_npy(program.path("problem/A.npy"), matrix, 0, matrix.rows()));
    ASSERT_TRUE(io::write_npy(program.path("problem/b.npy"), rhs));
  }

  test::Program program;
};

const std::string kProblem = " problem/A.npy --rhs problem/b.npy ";
constexpr std::array kEveryoneAndThree{"--clients 10", "--clients 10 --participants 3"};

// The columns are scaled to a condition number of 4e9, the normal equations to its square: each column is orthogonal to
// the residual long before their combinations are.
TEST_F(RightAnswers, DoNotCallFilipByConjugateGradientsConverged) {
  for (const char* more : {"", " --tolerance 1e-6", " --tolerance 1e-10", " --participants 2"}) {
    const Answer found =
        answer(program, "fit " + kTestData + "nist/filip.csv --target y --clients 4 --powers x:10 --method cg" + more);

    expect_unsolved(found);
    EXPECT_EQ(found.result["stop_reason"], "stagnation") << more;
    EXPECT_NE(found.result["warnings"].dump().find("--method gram"), std::string::npos) << more;
  }
}

TEST_F(RightAnswers, FitAirqualityInRawUnits) {
  const json truth = reference("airquality");
  for (const char* who : kEveryoneAndThree) {
    const Answer found = fit(truth, who);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-10) << who;
    EXPECT_NEAR(found.result["relative_residual"], 0.379, 5e-4);
    EXPECT_NEAR(found.result["relative_residual"], truth["relative_residual"], 1e-12);
    EXPECT_NEAR(found.result["model"]["r_squared"], truth["r_squared"], 1e-12);
    EXPECT_NEAR(found.result["model"]["sigma"], truth["sigma"], 1e-10);
    EXPECT_EQ(found.result["model"]["df_residual"], truth["df_residual"]);
  }
}

TEST_F(RightAnswers, FitWineByOneSum) {
  const json truth = reference("wine");
  for (const char* who : kEveryoneAndThree) {
    const Answer found = fit(truth, std::string("--method gram ") + who);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-10) << who;
    EXPECT_NEAR(found.result["relative_residual"], 0.201, 5e-4);
  }
}

TEST_F(RightAnswers, FitWineByConjugateGradients) {
  const json truth = reference("wine");
  for (const char* who : kEveryoneAndThree) {
    const Answer found = fit(truth, std::string("--method cg ") + who);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-6) << who;
    EXPECT_NEAR(found.result["relative_residual"], 0.201, 5e-4);
    EXPECT_LE(found.rounds(), 70u) << who;
  }
}

TEST_F(RightAnswers, PenaliseStandardizedColumnsButNotTheIntercept) {
  const json truth = reference("wine_ridge");
  for (const std::string method : {"gram", "cg"}) {
    for (const char* who : kEveryoneAndThree) {
      const Answer found = fit(truth, "--standardize --ridge 1000 --tolerance 1e-12 --method " + method + " " + who);

      expect_solved(found);
      EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-8) << method << ' ' << who;
      EXPECT_NEAR(found.result["model"]["r_squared"], truth["r_squared"], 1e-10);
    }
  }
}

TEST_F(RightAnswers, PenaliseColumnsAsTheyAre) {
  const json truth = reference("airquality_ridge");
  for (const std::string method : {"gram", "cg"}) {
    for (const char* who : kEveryoneAndThree) {
      const Answer found = fit(truth, "--ridge 10 --tolerance 1e-12 --method " + method + " " + who);

      expect_solved(found);
      EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-8) << method << ' ' << who;
      EXPECT_NEAR(found.result["model"]["r_squared"], truth["r_squared"], 1e-10);
    }
  }
}

TEST_F(RightAnswers, FitCementOrSayThatTheyDoNot) {
  const json truth = reference("cement");
  for (const std::string method : {"gram", "cg"}) {
    for (const char* who : {"--clients 4", "--clients 4 --participants 2", "--clients 13 --participants 3"}) {
      const Answer found = fit(truth, "--tolerance 1e-6 --method " + method + " " + who);

      if (found.converged()) {
        expect_solved(found);
        EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-6) << method << ' ' << who;
      } else {
        expect_unsolved(found);
      }
    }
  }
}

// Twelve digits of every coefficient, from four sites (NoInt2 has three rows).
TEST_F(RightAnswers, FitTheSetsOfNist) {
  const json certified = test::read_json(kTestData + "nist/certified.json");
  for (const auto& [name, truth] : certified.items()) {
    const int degree = truth["degree"];
    for (const bool few : {false, true}) {
      std::string line = "fit " + kTestData + "nist/" + truth["file"].get<std::string>() + " --target y";
      line += name == "NoInt2" ? " --clients 3" : " --clients 4";
      if (degree > 1) line += " --powers x:" + std::to_string(degree);
      if (!truth["intercept"]) line += " --no-intercept";
      if (few) line += " --participants 2";

      const Answer found = answer(program, line);

      expect_solved(found);
      EXPECT_LT(worst_error(found.coefficients(), estimates(truth)), 1e-12) << name;
      EXPECT_NEAR(found.result["model"]["r_squared"], truth["r_squared"], 1e-12) << name;
      const double sigma = truth["residual_sd"];
      EXPECT_NEAR(found.result["model"]["sigma"], sigma, sigma == 0.0 ? 1e-10 : 1e-10 * sigma) << name;
    }
  }
}

TEST_F(RightAnswers, SolveRidgeRegressionInAFewRounds) {
  const LinearSystem system = generate("inconsistent --rows 300 --cols 40");
  const std::vector<double> truth = test::ridge_solution(system, 0.01, std::vector<double>(40, 0.0));
  for (const std::string& line :
       {"solve" + kProblem + "--ridge 0.01", "fit" + kProblem + "--no-intercept --ridge 0.01"}) {
    for (const std::string method : {"auto", "cg", "gram"}) {
      const Answer found = answer(program, line + " --clients 10 --method " + method);

      expect_solved(found);
      EXPECT_LT(relative_error(found.coefficients(), truth), 1e-8) << line << ' ' << method;
      EXPECT_LE(found.rounds(), 25u) << line << ' ' << method;
    }
  }
}

TEST_F(RightAnswers, SolveWithAThousandClientsOneAtATime) {
  generate("gaussian --rows 1000 --cols 20");
  const Answer found = answer(program, "solve" + kProblem + "--clients 1000 --participants 1");

  expect_solved(found);
  EXPECT_LT(relative_error(found.coefficients(), vector("problem/x.npy")), 1e-7);
}

TEST_F(RightAnswers, SolveWithTenOfFiveHundredClients) {
  generate("gaussian --rows 2000 --cols 200");
  const Answer found = answer(program, "solve" + kProblem + "--clients 500 --participants 10");

  expect_solved(found);
  EXPECT_LT(relative_error(found.coefficients(), vector("problem/x.npy")), 1e-7);
}

// Fourteen singular values of 1 and six small ones: a residual tells little of six directions.
TEST_F(RightAnswers, SolveWithSmallSingularValuesOrSayThatTheyDoNot) {
  for (const double small : {1e-2, 1e-4, 1e-6}) {
    // A = Q - (1 - small) Q_6 P P^T, for Q with orthonormal columns and P six columns of an orthogonal matrix.
    const auto [orthogonal, ignored] = test::system_of_condition(60, 20, 1.0 + 1e-15, 5);
    const auto [turn, truth] = test::system_of_condition(20, 20, 1.0 + 1e-15, 6);
    const Matrix& q = std::get<Matrix>(orthogonal.rows);
    const Matrix& p = std::get<Matrix>(turn.rows);
    Matrix a(60, 20);
    std::vector<double> b(60, 0.0);
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j < 20; ++j) {
        for (std::size_t k = 0; k < 20; ++k) a.row(i)[j] += q.row(i)[k] * (k < 14 ? 1.0 : small) * p.row(k)[j];
        b[i] += a.row(i)[j] * truth[j];
      }
    }
    write(a, b);
    for (const char* who : {"--clients 3 --participants 1", "--clients 3"}) {
      const Answer found = answer(program, "solve" + kProblem + who);

      // What a residual of 1e-8 says of x, by the smallest singular value.
      const double length = std::sqrt(squared_norm(b)), most = 1e-8 * length / (small * std::sqrt(squared_norm(truth)));
      if (found.converged()) {
        expect_solved(found);
        EXPECT_LE(found.result["relative_residual"].get<double>(), 1e-8);
        EXPECT_LT(relative_error(found.coefficients(), truth), most) << small << ' ' << who;
      } else {
        expect_unsolved(found);
      }
    }
  }
}

TEST_F(RightAnswers, AreNeverWorseThanTheStart) {
  for (const std::string data :
       {"airquality.csv --target Ozone", "wine.csv --target target", "cement.csv --target y"}) {
    for (const std::string more : {"", " --intercept", " --intercept --standardize", " --participants 3"}) {
      const Answer found = answer(program, "solve " + kTestData + data + " --clients 10 --rounds 4" + more);

      expect_unsolved(found);
      EXPECT_LE(found.result["relative_residual"].get<double>(), 1.0) << data << more;
    }
  }
}

TEST_F(RightAnswers, SayWhatToDoWithEquationsThatContradictEachOther) {
  const LinearSystem system = generate("gaussian --rows 200 --cols 10 --noise 0.5");
  for (const char* who : kEveryoneAndThree) {
    const Answer found = answer(program, "solve" + kProblem + who);

    expect_unsolved(found);
    EXPECT_EQ(found.result["stop_reason"], "contradictory");
    EXPECT_NE(found.err.find("fedrk fit"), std::string::npos) << found.err;

    const Answer squares = answer(program, "solve" + kProblem + "--least-squares " + who);
    expect_solved(squares);
    EXPECT_EQ(squares.result["method"], "cg");
    EXPECT_LT(relative_error(squares.coefficients(), test::least_squares(system)), 1e-7);
  }
}

TEST_F(RightAnswers, SolveColumnsOfAnyUnits) {
  const LinearSystem made = generate("gaussian --rows 120 --cols 17");
  Matrix a = std::get<Matrix>(made.rows).clone();
  std::vector<double> truth = vector("problem/x.npy");
  for (std::size_t j = 0; j < 17; ++j) {
    const double unit = std::pow(10.0, static_cast<double>(j) - 8.0);
    for (std::size_t i = 0; i < a.rows(); ++i) a.row(i)[j] *= unit;
    truth[j] /= unit;
  }
  write(a, made.rhs);
  for (const char* who : kEveryoneAndThree) {
    const Answer found = answer(program, "solve" + kProblem + who);

    expect_solved(found);
    EXPECT_LT(worst_error(found.coefficients(), truth), 1e-6) << who;
  }
}

TEST_F(RightAnswers, DoNotCallAThresholdedIterateASolution) {
  generate("sparse --rows 200 --cols 40 --noise 0.1");
  for (const char* who : kEveryoneAndThree) {
    const Answer found = answer(program, "solve" + kProblem + "--sparse soft:5 --rounds 200 " + who);
    expect_unsolved(found);
  }
  const auto refused = program.run("fit" + kProblem + "--sparse soft:5");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--sparse"), std::string::npos) << refused.err;
}

// The columns of the selection alone, the intercept's first.
std::vector<double> regression_on(const std::vector<std::string>& names) {
  const io::Dataset all =
      *io::read_csv(FEDRK_SOURCE "/data/prostate.csv", {.target = "lpsa", .ignore = {}, .group_by = "", .margins = {}});
  const Matrix& table = std::get<Matrix>(all.system.rows);
  Matrix chosen(table.rows(), names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto at = static_cast<std::size_t>(std::ranges::find(all.columns, names[k]) - all.columns.begin());
    for (std::size_t i = 0; i < table.rows(); ++i) {
      chosen.row(i)[k] = names[k] == "(Intercept)" ? 1.0 : table.row(i)[at];
    }
  }
  return test::least_squares({std::move(chosen), all.system.rhs});
}

TEST_F(RightAnswers, RefitTheProstateDataOnWhatWasKept) {
  for (int seed = 1; seed <= 5; ++seed) {
    const Answer found =
        answer(program, "solve " FEDRK_SOURCE "/data/prostate.toml --keep 5 --seed " + std::to_string(seed));

    expect_solved(found);
    std::vector<std::string> selected, kept;  // the first in the published order
    for (const json& entry : found.result["selection"]) selected.push_back(entry["name"]);
    selected.resize(5);
    EXPECT_EQ(selected, (std::vector<std::string>{"(Intercept)", "lcavol", "svi", "lweight", "lbph"}))
        << "seed " << seed;
    std::vector<double> coefficients;
    for (const json& entry : found.result["coefficients"]) {
      if (entry["coefficient"] == 0.0) continue;
      kept.push_back(entry["name"]);
      coefficients.push_back(entry["coefficient"]);
    }
    ASSERT_EQ(std::set(kept.begin(), kept.end()), std::set(selected.begin(), selected.end()));
    EXPECT_LT(worst_error(coefficients, regression_on(kept)), 1e-6) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fedrk
