import type { Verb } from './run.ts'
import { brief, table } from './terminal.ts'
import { age } from './words.ts'

const approvals: Verb = (command, context) => {
  command
    .description('List the calls that wait for a decision, oldest first.')
    .addHelpText('after', '\nExamples:\n  toolgate approvals\n  toolgate approvals --json | head -1')
    .action(async () => {
      const client = await context.connect()
      const { terminal, signal } = context
      const waiting = await client.approvals({ signal })
      if (terminal.json) {
        for (const call of waiting) terminal.outJson(call)
        return
      }
      if (waiting.length === 0) return terminal.say('Nothing waits for a decision.')
      const rows = waiting.map(({ tool_call_id, tool, created_at, approval }) => [
        tool_call_id,
        age(created_at),
        approval.level,
        brief(tool, 30),
        brief(approval.preview.title)
      ])
      terminal.out(table(['CALL', 'AGE', 'LEVEL', 'TOOL', 'WOULD'], rows))
    })
}
export default approvals
