// What has gone wrong with a server, told from the many ways in which that shows.
import { ToolError } from '../../errors.ts'
import { tameText } from './sanitize.ts'

/** What it means, where that makes a difference:
 * `said`: the server answered that it will not do it. `gone`: its process or connection is over. `forgotten`: it knows
 * nothing of us any more, and has not taken what was asked. `elsewhere`: nobody speaks this protocol at the address.
 * `login`: a person must let us in. `hopeless`: it is no use trying again before something is changed here. */
export type FaultKind = 'said' | 'gone' | 'forgotten' | 'elsewhere' | 'login' | 'hopeless' | 'other'

export interface Fault {
  kind: FaultKind
  message: string
}

/** The process or connection of a server is over. */
export class Gone extends Error {}

/** It cannot be as it is configured. */
export class Hopeless extends Error {}

const LONGEST = 2_000
const HOPELESS: ReadonlySet<string> = new Set(['SANDBOX_UNAVAILABLE', 'URL_BLOCKED', 'INVALID_PARAMS'])
const ELSEWHERE: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 501])

export async function faultOf(error: unknown): Promise<Fault> {
  const kind = await kindOf(error)
  return { kind, message: kind === 'login' ? 'it wants a login' : tameText(wordsOf(error), LONGEST) }
}

async function kindOf(error: unknown): Promise<FaultKind> {
  if (error instanceof Gone) return 'gone'
  const causes = [...causesOf(error)]
  if (causes.some(each => each instanceof Hopeless || (each instanceof ToolError && HOPELESS.has(each.code))))
    return 'hopeless'
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } = await import(
    '@modelcontextprotocol/client'
  )
  if (error instanceof UnauthorizedError) return 'login'
  if (error instanceof ProtocolError) return 'said'
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403)) return 'login'
  if (error instanceof SdkHttpError && ELSEWHERE.has(error.status))
    return error.status === 404 ? 'forgotten' : 'elsewhere'
  if (causes.some(each => (each as NodeJS.ErrnoException).code === 'ECONNREFUSED')) return 'forgotten'
  const over: readonly unknown[] = [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed]
  if (error instanceof SdkError && over.includes(error.code)) return 'gone'
  return 'other'
}

/** The most exact words are those of what was at the bottom of it. */
function wordsOf(error: unknown): string {
  const last = [...causesOf(error)].at(-1) as { message?: unknown; code?: unknown }
  return String(last.message || last.code || error)
}

function* causesOf(error: unknown): Generator<unknown> {
  const seen = new Set<unknown>()
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at)
    yield at
    // Several addresses of one name were tried.
    if (at instanceof AggregateError) for (const each of at.errors.slice(0, 1)) yield* causesOf(each)
  }
}
