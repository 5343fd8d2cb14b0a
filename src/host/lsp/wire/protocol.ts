// Types of the LSP methods and their params. Types only: messages of a server are trusted no further than they are validated.
import type * as protocol from 'vscode-languageserver-protocol'

type MessageType = Extract<(typeof protocol)[keyof typeof protocol], { method: string; type: object }>
type MessageTypeOf<M extends MessageType['method']> = Extract<MessageType, { method: M }>['type']
type Request =
  | protocol.ProtocolRequestType<unknown, unknown, unknown, unknown, unknown>
  | protocol.ProtocolRequestType0<unknown, unknown, unknown, unknown>
type Notification = protocol.ProtocolNotificationType<unknown, unknown> | protocol.ProtocolNotificationType0<unknown>

/** Methods of requests. */
export type RequestMethod = Extract<MessageType, { type: Request }>['method']
/** Methods of notifications. */
export type NotificationMethod = Extract<MessageType, { type: Notification }>['method']

export type MethodParams<M extends MessageType['method']> =
  MessageTypeOf<M> extends protocol.ProtocolRequestType<infer P, unknown, unknown, unknown, unknown>
    ? P
    : MessageTypeOf<M> extends protocol.ProtocolNotificationType<infer P, unknown>
      ? P
      : undefined

export type MethodResult<M extends RequestMethod> =
  MessageTypeOf<M> extends protocol.ProtocolRequestType<unknown, infer R, unknown, unknown, unknown>
    ? R
    : MessageTypeOf<M> extends protocol.ProtocolRequestType0<infer R, unknown, unknown, unknown>
      ? R
      : never

/** Sends a request. */
export type SendRequest = <M extends RequestMethod>(
  method: M,
  params: MethodParams<M>,
  signal: AbortSignal
) => Promise<MethodResult<M>>
/** Sends a notification. */
export type SendNotification = <M extends NotificationMethod>(method: M, params: MethodParams<M>) => void
