// A model of an hour of an agent's work, since no recorded sessions with times exist: the calls in it, message by message.

/** A call of the agent. Those of a message are sent together. */
export interface WorkCall {
  tool: string
  params: Readonly<Record<string, unknown>>
}
export type Hour = readonly (readonly WorkCall[])[]

/** An hour has so many rounds: three lines that read, three edits, three other lines. */
const ROUNDS = 10
const CALLS_OF_MESSAGE = 3
/** Each edited file, and each line that does not only read, occurs three times in an hour: an agent changes, checks and corrects. */
const DISTINCT = 10
const FILES = [
  ...['src/index.ts', 'src/cli.ts', 'src/lib/format.ts', 'src/a.txt', 'test/index.test.ts'],
  ...['docs/guide.md', 'README.md', 'data/users.csv', 'data/numbers.txt', 'data/users.json']
]

export const CALLS_PER_HOUR = ROUNDS * CALLS_OF_MESSAGE * 3

export const MODEL =
  `An hour is assumed, not recorded: ${ROUNDS} times a message with ${CALLS_OF_MESSAGE} read-only lines, one with ${CALLS_OF_MESSAGE} edits and one with ` +
  `${CALLS_OF_MESSAGE} real lines; ${DISTINCT} different files and ${DISTINCT} different real lines, each three times.`

interface Lines {
  readOnly: readonly string[]
  real: readonly string[]
}

/** Returns the hours, each with other real lines. */
export const planHours = ({ readOnly, real }: Lines, count: number): Hour[] =>
  Array.from({ length: count }, (_, hour) =>
    Array.from({ length: ROUNDS }, (_, round) => {
      const slots = Array.from({ length: CALLS_OF_MESSAGE }, (_, at) => round * CALLS_OF_MESSAGE + at)
      return [
        slots.map(slot => toCommand(readOnly[(hour * ROUNDS * CALLS_OF_MESSAGE + slot) % readOnly.length]!)),
        slots.map(slot => toEdit(FILES[slot % DISTINCT]!)),
        slots.map(slot => toCommand(real[hour * DISTINCT + (slot % DISTINCT)]!))
      ]
    }).flat()
  )

const toCommand = (command: string): WorkCall => ({ tool: 'shell_exec', params: { command } })
const toEdit = (path: string): WorkCall => ({ tool: 'write_file', params: { path, content: 'changed\n' } })

/** The verdict on a call: if it asks, what calls of a message must have in common to be one question. */
export interface Verdict {
  decision: 'allow' | 'ask' | 'strict' | 'deny'
  cause: string
}

/** Counts the questions of an hour, with the calls of a message that wait for one reason as one. Strict calls are never grouped. */
export const countGrouped = (messages: readonly (readonly Verdict[])[]): number =>
  sum(
    messages.map(verdicts => {
      const asked = verdicts.filter(({ decision }) => decision === 'ask').map(({ cause }) => cause)
      return new Set(asked).size + verdicts.filter(({ decision }) => decision === 'strict').length
    })
  )

/** Counts the questions of an hour, each call as one. */
export const countSingle = (messages: readonly (readonly Verdict[])[]): number =>
  sum(messages.map(verdicts => verdicts.filter(({ decision }) => decision === 'ask' || decision === 'strict').length))

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
