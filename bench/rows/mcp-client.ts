// A tool of an MCP server, called through ours, which judges, records and tells each call; the floor is the same server
// called directly by a client of the protocol's library. And the start with many such servers.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { EVERYTHING, type Ground } from '../environment.ts'
import { latencies, Talker } from '../load-client.ts'
import { inTurns, timed } from '../measure.ts'
import { latencyFindings } from '../measurement.ts'
import type { Row } from './benchmark.ts'
import { firstAnswer } from './start.ts'

const CALL = { name: 'echo', arguments: { message: 'hello' } }
const CLOSE = { p50: { bound: 'at most', times: 1.5, plus: 3 } } as const
const SOON = { p50: { bound: 'at most', plus: 1_000 } } as const

export default {
  name: 'mcp-client',
  async measure(ground) {
    const ours = await ground.ours(ground.root, 'mcp')
    const named = { tool: 'mcp_tool', params: { server: 'good0', tool: CALL.name, arguments: CALL.arguments } }
    const talker = await Talker.open(ground, ours, [named])
    const direct = await client(ground)
    const samples = ground.many(300, 5)
    const calls = await inTurns(ground.many(7, 1), {
      ours: () => latencies(talker, samples),
      floor: () => timed(samples, () => direct.callTool(CALL))
    })
    await ours.stop()
    const starts = await inTurns(ground.many(7, 1), {
      ours: () => firstAnswer(() => ground.ours(ground.root, 'many_mcp'), '/calls'),
      floor: () => firstAnswer(() => ground.ours(), '/calls')
    })
    const [first] = latencyFindings('start to first answer with 20 MCP servers, 5 of them broken', starts, SOON)
    return [...latencyFindings('a call of an MCP tool', calls, CLOSE), first!]
  }
} satisfies Row

async function client(ground: Ground): Promise<Client> {
  const direct = new Client({ name: 'bench', version: '1' })
  await direct.connect(new StdioClientTransport({ command: process.execPath, args: [EVERYTHING], stderr: 'ignore' }))
  ground.onClear(() => direct.close())
  return direct
}
