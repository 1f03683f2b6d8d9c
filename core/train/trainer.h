// The training loop of one rank.
#pragma once

#include "core/base/result.h"
#include "core/run/exit_code.h"
#include "core/train/session.h"

namespace tidemark::train {

// Trains to the last step, or until a stop was asked for on any rank: then all ranks end at the same step with a
// checkpoint. Rank 0 writes checkpoints and the adapter. `resumes`: continue the newest checkpoint of the run directory.
Result<run::ExitCode> trainToEnd(Session& session, bool resumes);

// Asks for a stop at the end of the present step; safe in a signal handler.
void requestStop();

}  // namespace tidemark::train
