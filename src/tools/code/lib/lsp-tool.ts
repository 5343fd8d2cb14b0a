// Common parts of the LSP tools: their policy input, and progress while waiting.
import type { LanguageService } from '../../../host/lsp/language-service.ts'
import type { LookupContext, ReadContext, RunContext } from '../../../tool/contexts.ts'
import type { Plan } from '../../../tool/plan.ts'
import type { PathUse, Request } from '../../../tool/request.ts'
import type { Progress } from '../../../tool/result.ts'
import { withProgress } from '../../../tool/with-progress.ts'

/** A starting server reads a whole project first; requests to a running one are limited to a few seconds by the host. */
const COLD_START_TIMEOUT_MS = 120_000

/** An unsandboxed server may do anything as soon as it is started, and with every file that is opened. */
export const UNSANDBOXED_SERVER_REASON = 'Requires a language server, which runs without a sandbox on this machine.'

/** Common properties of these tools. */
export const LSP_TOOL = {
  category: 'code' as const,
  timeout_ms: COLD_START_TIMEOUT_MS,
  effect: 'depends' as const
}

/** Builds the request of a tool that reads these paths through a language server. */
export async function lspRequest(paths: PathUse[], { host }: LookupContext): Promise<Request> {
  const isSandboxed = (await host.languages.isolationLevel()) === 'read-only'
  return { effect: isSandboxed ? 'read' : 'execute', paths, reasons: { approval: UNSANDBOXED_SERVER_REASON } }
}

/** Plans a call about a file for which a language server is installed. */
export async function planLspCall(input: { path?: string | undefined }, ctx: ReadContext): Promise<Plan<undefined>> {
  await checkServerInstalled(input, ctx)
  return { state: undefined }
}

/** Refuses a call about a file for which no language server is installed, before a person is asked. */
export async function checkServerInstalled({ path }: { path?: string | undefined }, { host }: ReadContext) {
  if (path !== undefined && host.files.peek(path).kind === 'file')
    await host.languages.assertInstalled(host.files.resolve(path).path)
}

/** Waits for an answer and reports progress. */
export const withLspProgress = <T>(
  { host: { languages } }: RunContext,
  ask: (languages: LanguageService) => Promise<T>
): AsyncGenerator<Progress, T> =>
  withProgress(report => {
    languages.onProgress(message => report({ message }))
    return ask(languages)
  })
