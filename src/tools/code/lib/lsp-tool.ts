// What all questions to language servers have in common: what policy is told of them, and how their waiting is told.
import type { LanguageService } from '../../../host/lsp/language-service.ts'
import type { Context, Effect, Progress } from '../../../tool/tool.ts'
import { withProgress } from '../../../tool/with-progress.ts'

/** A server that starts reads a whole project first; one that runs is held to a few seconds by the host. */
const COLD_START_TIMEOUT_MS = 120_000

/** A server that nothing keeps may do what it likes as soon as it is started, and with every file that it is told of. */
export const UNSANDBOXED_SERVER_REASON =
  'It needs a language server, and nothing keeps that from the rest of the machine here.'

/** What such a tool is, besides its question. */
export const LSP_TOOL = {
  category: 'code' as const,
  timeout_ms: COLD_START_TIMEOUT_MS,
  effect: async (_: unknown, { host }: Context): Promise<Effect> =>
    (await host.languages.isolationLevel()) === 'read-only' ? 'read' : 'execute'
}

/** Waits for an answer, and tells meanwhile what it waits for. */
export const withLspProgress = <T>(
  { host: { languages } }: Context,
  ask: (languages: LanguageService) => Promise<T>
): AsyncGenerator<Progress, T> =>
  withProgress(tell => {
    languages.onProgress(message => tell({ message }))
    return ask(languages)
  })
