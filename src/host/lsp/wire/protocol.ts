// What is said between us and language servers, as the protocol has it: methods by their names, and what goes with each.
// Types alone: what a server really sends is believed no further than it is looked at.
import type * as protocol from 'vscode-languageserver-protocol'

type Said = Extract<(typeof protocol)[keyof typeof protocol], { method: string; type: object }>
type TypeOf<M extends Said['method']> = Extract<Said, { method: M }>['type']
type Request =
  | protocol.ProtocolRequestType<unknown, unknown, unknown, unknown, unknown>
  | protocol.ProtocolRequestType0<unknown, unknown, unknown, unknown>
type Notification = protocol.ProtocolNotificationType<unknown, unknown> | protocol.ProtocolNotificationType0<unknown>

/** What is answered. */
export type RequestMethod = Extract<Said, { type: Request }>['method']
/** What is only told. */
export type NotificationMethod = Extract<Said, { type: Notification }>['method']

export type Params<M extends Said['method']> =
  TypeOf<M> extends protocol.ProtocolRequestType<infer P, unknown, unknown, unknown, unknown>
    ? P
    : TypeOf<M> extends protocol.ProtocolNotificationType<infer P, unknown>
      ? P
      : undefined

export type Result<M extends RequestMethod> =
  TypeOf<M> extends protocol.ProtocolRequestType<unknown, infer R, unknown, unknown, unknown>
    ? R
    : TypeOf<M> extends protocol.ProtocolRequestType0<infer R, unknown, unknown, unknown>
      ? R
      : never

/** Asks a server. */
export type Ask = <M extends RequestMethod>(method: M, params: Params<M>, signal: AbortSignal) => Promise<Result<M>>
/** Tells a server. */
export type Tell = <M extends NotificationMethod>(method: M, params: Params<M>) => void
