// What a person waits for at a terminal: the start of a small verb, and TAB, which asks the server. The floor is Node with
// nothing to run.

import type { Server } from '../environment.ts'
import { Connection, request } from '../http.ts'
import { inTurns } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import { type Command, durations, type Ran } from '../spawner.ts'
import type { Row } from './benchmark.ts'

const EDIT = JSON.stringify({ tool: 'edit_file', params: { path: 'asked.txt', old: 'a', new: 'b' } })
const VERSION = ['version']
const COMPLETION = ['complete', 'bash', '--', 'toolgate approve ']

export default {
  name: 'cli',
  async measure(ground) {
    ground.write('asked.txt', 'a\n')
    await askOnce(await ground.ours(ground.root, 'unconfigured'))
    const spawner = ground.spawner()
    const each = ground.many(4)
    const taken = (command: Command, expected: RegExp) => () =>
      durations(each, async () => checked(await spawner.run(command), expected))
    const { version, completion, floor } = await inTurns(ground.many(5), {
      version: taken(ground.commandLine(VERSION), /^toolgate \d/),
      completion: taken(ground.commandLine(COMPLETION), /^tc_\w+\tEdit asked\.txt$/m),
      floor: taken({ ...ground.commandLine([]), args: ['-e', '0'] }, /^$/)
    })
    return [
      ...latencyFindings('`toolgate version`', { ours: version, floor }, { p50: { bound: 'at most', plus: 120 } }),
      ...latencyFindings(
        'TAB after `toolgate approve`',
        { ours: completion, floor },
        { p50: { bound: 'at most', plus: 150 } }
      )
    ]
  }
} satisfies Row

/** Leaves a call that waits for a decision, for TAB to find. */
async function askOnce(server: Server) {
  const connection = await Connection.open(server)
  const { body } = await connection.send(request(server, 'POST', '/calls', {}, EDIT))
  connection.close()
  if (!body.includes('"status":"awaiting_approval"')) throw new Error(`the call does not wait: ${body}`)
}

/** A run that says something else would be timed for nothing. */
function checked(ran: Ran, expected: RegExp): Ran {
  if (ran.code !== 0 || !expected.test(ran.stdout)) throw new Error(`it ended with ${ran.code}: ${ran.stdout}`)
  return ran
}
