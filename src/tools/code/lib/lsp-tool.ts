// Common parts of the LSP tools: their policy input, and progress while waiting.
import type { LanguageService } from '../../../host/lsp/language-service.ts'
import type { Context, Effect, Progress } from '../../../tool/tool.ts'
import { withProgress } from '../../../tool/with-progress.ts'

/** A starting server reads a whole project first; requests to a running one are limited to a few seconds by the host. */
const COLD_START_TIMEOUT_MS = 120_000

/** An unsandboxed server may do anything as soon as it is started, and with every file that is opened. */
export const UNSANDBOXED_SERVER_REASON =
  'It needs a language server, and nothing keeps that from the rest of the machine here.'

/** Common properties of these tools. */
export const LSP_TOOL = {
  category: 'code' as const,
  timeout_ms: COLD_START_TIMEOUT_MS,
  effect: async (_: unknown, { host }: Context): Promise<Effect> =>
    (await host.languages.isolationLevel()) === 'read-only' ? 'read' : 'execute'
}

/** Refuses a call about a file for which no language server is installed, before a person is asked. */
export async function checkServerInstalled({ path }: { path?: string | undefined }, { host }: Context) {
  if (path !== undefined && host.files.peek(path).kind === 'file')
    await host.languages.assertInstalled(host.files.resolve(path).path)
}

/** Waits for an answer and reports progress. */
export const withLspProgress = <T>(
  { host: { languages } }: Context,
  ask: (languages: LanguageService) => Promise<T>
): AsyncGenerator<Progress, T> =>
  withProgress(report => {
    languages.onProgress(message => report({ message }))
    return ask(languages)
  })
