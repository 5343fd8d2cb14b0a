// The worker for shell code.
import { findShellTokens } from './shell-tokens.ts'
import type { HighlightAnswer, HighlightRequest } from './tokens.ts'

const answer = (message: HighlightAnswer) => postMessage(message)

addEventListener('message', ({ data: { text } }: MessageEvent<HighlightRequest>) => {
  try {
    const tokens = findShellTokens(text)
    answer(tokens ? { state: 'done', tokens } : { state: 'failed' })
  } catch {
    answer({ state: 'failed' })
  }
})
answer({ state: 'ready' })
