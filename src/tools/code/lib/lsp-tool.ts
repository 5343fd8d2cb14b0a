// What all questions to language servers have in common: what policy is told of them, and how their waiting is told.
import type { Languages } from '../../../host/lsp/language-service.ts'
import type { Context, Effect, Progress } from '../../../tool/tool.ts'
import { telling } from '../../../tool/with-progress.ts'

/** A server that starts reads a whole project first; one that runs is held to a few seconds by the host. */
const COLD_MS = 120_000

/** A server that nothing keeps may do what it likes as soon as it is started, and with every file that it is told of. */
export const UNKEPT = 'It needs a language server, and nothing keeps that from the rest of the machine here.'

/** What such a tool is, besides its question. */
export const QUESTION = {
  category: 'code' as const,
  timeout_ms: COLD_MS,
  effect: async (_: unknown, { host }: Context): Promise<Effect> =>
    (await host.languages.kept()) === 'strict' ? 'read' : 'execute'
}

/** Waits for an answer, and tells meanwhile what it waits for. */
export const whileAsking = <T>(
  { host: { languages } }: Context,
  ask: (languages: Languages) => Promise<T>
): AsyncGenerator<Progress, T> =>
  telling(tell => {
    languages.tells(message => tell({ message }))
    return ask(languages)
  })
