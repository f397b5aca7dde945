// SPDX-License-Identifier: Apache-2.0
#include "revealed.hpp"

#include <algorithm>
#include <variant>

namespace fedrk::app {
namespace {

std::size_t participants(const io::Plan& plan, std::size_t clients) {
  return plan.run.participants == 0 ? clients : std::min(plan.run.participants, clients);
}

bool by_sums(const io::Plan& plan) { return *plan.method.settled(plan.run).reveal == Reveal::Sums; }

// Where everyone takes part, these methods end in conjugate gradients.
bool may_use_conjugate_gradients(const io::Plan& plan, std::size_t clients) {
  const MethodOptions& method = plan.method;
  return participants(plan, clients) == clients && method.soft == 0.0 && method.ridge == 0.0 && !method.memory &&
         !method.hyperplanes;
}

std::string sums_to_server(const io::Plan& plan, std::size_t clients) {
  if (participants(plan, clients) == 1) {
    return "The server is to see sums only, but with one client a round the sum is that client's own update: let more "
           "take part.";
  }
  std::string text =
      "Of each round the server sees one sum over all participants: of their displacements, their gaps and their "
      "squared residuals, and the clients' row counts and the sum of their norms once. It is a combination of all "
      "participants' rows, "
      "of "
      "which none can be told apart; rounds with nearly the same participants tell more by their difference. Over a "
      "network the parts are masked, so that the sum is all that arrives.";
  if (may_use_conjugate_gradients(plan, clients)) {
    text +=
        " Should it come to least squares by conjugate gradients, the sums are products with A^T A: as many rounds as "
        "there are unknowns tell A^T A, the second moments of all rows together.";
  }
  return text;
}

}  // namespace

std::string revealed_to_server(const io::Plan& plan, std::size_t clients) {
  if (plan.method.privacy.on()) {
    return "Of each round the server sees one sum over all participants, with noise, and the clients' row counts once. "
           "Whatever it makes of them, any single row could have been another without anybody noticing, as far as "
           "--epsilon and --delta say.";
  }
  if (by_sums(plan)) return sums_to_server(plan, clients);
  const auto* steps = std::get_if<FixedSteps>(&plan.run.local_budget);
  const std::string remedy = " --reveal sums shows it one sum a round.";
  if (steps == nullptr) {
    return "With --local-steps inf the server learns each client's projections: their span is the span of the client's "
           "rows, and a client with a row for every unknown or more sends its own solution." +
           remedy;
  }
  if (steps->count == 1) {
    return "With --local-steps 1 each update is a multiple of one row: the server sees single records." + remedy;
  }
  return "After its last step x + Delta lies on the hyperplane of the row used last, so a server that keeps the "
         "updates of many rounds can rebuild records, all of them where it knows the clients' seeds, and it can tell "
         "whether a client holds a record that it knows already. --attack tries it. Use it between parties that may "
         "see each other's rows." +
         remedy;
}

std::string revealed_to_clients(const io::Plan& plan, std::size_t clients) {
  if (clients == 1) return "There is no other client.";
  std::string text =
      "A client is sent x in each round that it takes part in, hence the model as it forms and how x moved in between, "
      "and nothing of any other client by itself. ";
  text += by_sums(plan) ? "x moves by sums over the participants of the last rounds."
                        : "x moves by a combination of the participants' updates.";
  if (participants(plan, clients) > 2) {
    return text +
           " Clients that put together what they know can take their own parts away: what is left is a "
           "combination of the others' rows.";
  }
  if (participants(plan, clients) == 2) {
    return text +
           " With two clients a round each can take its own part away and is left with the other's, as far as "
           "the movement of x gives the sum: let three or more take part.";
  }
  return text +
         " With one client a round that is this client's own update, and whoever is asked before and after it "
         "can read it: let three or more take part.";
}

}  // namespace fedrk::app
