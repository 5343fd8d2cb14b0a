// Shapes of what a server sends to its hub.

/** An event as the hub takes it. `data` is its JSON, of a tool.result with the result. */
export interface UplinkEvent {
  seq: number
  type: string
  time: string
  tool_call_id?: string | undefined
  data: string
}

/** Events that the hub will not get: they were dropped before they could be sent, or it refused them. */
export interface UplinkGap {
  after: number
  until: number
  reason: string
}

export interface UplinkBatch {
  journal_id: string
  /** Number of the newest event of the journal. */
  head: number
  /** In ascending order. */
  events: readonly UplinkEvent[]
  gap?: UplinkGap | undefined
}

/** A call that waits, as its event shows it. `data` is the JSON of the fields of that event. */
export interface WaitingCall {
  tool_call_id: string
  time: string
  data: string
}

/** The calls of a journal that wait when its newest event is `head`. */
export interface WaitingCalls {
  journal_id: string
  head: number
  calls: readonly WaitingCall[]
}

/** Facts that a server gives when it is enrolled. */
export interface ServerFacts {
  host: string
  version: string
  roots: readonly string[]
}

/** A person's decision at the hub on what a call of this server's journal would do, or a cancel of the call. */
export interface HubDecision {
  decision_id: number
  journal_id: string
  tool_call_id: string
  /** Digest of what was shown; none of a cancel. */
  digest: string | null
  verdict: 'approve' | 'reject' | 'cancel'
  person: { id: string; name: string }
  /** Required to approve a strict call. */
  confirm?: boolean | undefined
  reason?: string | undefined
  /** A rejection's message to the caller. */
  user_message?: string | undefined
}
