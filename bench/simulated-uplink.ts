// A server as its hub sees it: enrolled, with a journal of calls that are read back at once, and nothing behind it.
import { randomBytes } from 'node:crypto'
import { Connection, type Endpoint, encodeRequest } from './http.ts'
import { generateText } from './sample-text.ts'

const PREVIEW = generateText(400, 1)
const CONTENT = generateText(2_048, 2)
/** Each call has two: `tool.call` and `tool.result`. */
const EVENTS_A_CALL = 2
const FACTS = { host: 'bench', version: '0.0.0', roots: ['/workspace'] }

export interface SentEvent {
  seq: number
  type: string
  time: string
  tool_call_id: string
  data: string
}

/** Returns the events of so many calls, the first with this number. */
export function makeEvents(first: number, count: number): SentEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const seq = first + i
    const time = new Date().toISOString()
    const tool_call_id = `tc_${Math.ceil(seq / EVENTS_A_CALL)}`
    const call = { tool: 'read_file', session_id: 's', agent: 'bench', preview: { title: 'Read a.txt', text: PREVIEW } }
    const isCall = seq % EVENTS_A_CALL === 1
    const type = isCall ? 'tool.call' : 'tool.result'
    const more = isCall ? call : { status: 'success', result: { data: { content: CONTENT } } }
    return { seq, type, time, tool_call_id, data: JSON.stringify({ seq, time, type, tool_call_id, ...more }) }
  })
}

export class SimulatedUplink {
  readonly #endpoint: Endpoint
  readonly #connection: Connection
  readonly #journal = randomBytes(6).toString('hex')
  #head = 0

  /** Enrolls it at a hub, and connects. */
  static async open(hub: Endpoint, name: string): Promise<SimulatedUplink> {
    const connection = await Connection.open(hub)
    const post = async (endpoint: Endpoint, target: string, body: object) => {
      const reply = await connection.send(encodeRequest(endpoint, 'POST', target, {}, JSON.stringify(body)))
      if (reply.status !== 201) throw new Error(`${target} answered ${reply.status}: ${reply.body}`)
      return JSON.parse(reply.body.toString()) as { code: string; token: string }
    }
    const { code } = await post(hub, '/enrolments', { name })
    const { token } = await post({ ...hub, token: code }, '/uplink/servers', { facts: FACTS })
    return new SimulatedUplink({ ...hub, token }, connection)
  }

  private constructor(endpoint: Endpoint, connection: Connection) {
    this.#endpoint = endpoint
    this.#connection = connection
  }

  /** Sends the next events, none for a heartbeat, and resolves once the hub has stored them. */
  async send(count: number): Promise<void> {
    const events = makeEvents(this.#head + 1, count)
    this.#head += count
    const body = JSON.stringify({ journal_id: this.#journal, head: this.#head, events })
    const reply = await this.#connection.send(encodeRequest(this.#endpoint, 'POST', '/uplink/events', {}, body))
    const { stored } = JSON.parse(reply.body.toString()) as { stored?: number }
    if (stored !== this.#head) throw new Error(`the hub answered ${reply.status}: ${reply.body}`)
  }

  close() {
    this.#connection.close()
  }
}
