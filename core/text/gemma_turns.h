// How Gemma writes a conversation, for files that hold its vocabulary but no chat template (pretrained models do not).
#pragma once

#include "core/text/bpe_tokenizer.h"

namespace tidemark::text {

// Where the vocabulary has Gemma's turn tokens: adds the end of a turn to what ends an answer and, if there is no template
// yet, Gemma's own as a built-in one.
void addGemmaTurns(TokenizerParts& parts);

}  // namespace tidemark::text
