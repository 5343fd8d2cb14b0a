import { InvalidArgumentError } from 'commander'
import type { ReviewComment } from '../../../protocol/review-comment.ts'
import type { CommandSetup } from '../../command-setup.ts'

interface RejectOptions {
  reason?: string
  message?: string
  comment: ReviewComment[]
}

const reject: CommandSetup = (command, context) => {
  command
    .description('Reject waiting calls. The reason and the message are sent to the caller.')
    .argument('<id...>', 'tool_call_id')
    .option('-m, --reason <text>', 'why')
    .option('--message <text>', 'message to the caller, such as what to do instead')
    .option('--comment <path:line:text>', 'comment on a line of the diff; repeatable', collectComment, [])
    .addHelpText('after', '\nExample:\n  toolgate reject tc_01J… -m "not on main" --message "make a branch first"')
    .action(async (ids: string[], { reason, message, comment: comments }: RejectOptions) => {
      const client = await context.connect()
      const { terminal, signal } = context
      for (const id of ids) {
        const call = await client.reject(id, {
          signal,
          ...(reason !== undefined && { reason }),
          ...(message !== undefined && { user_message: message }),
          ...(comments.length > 0 && { comments })
        })
        if (terminal.json) terminal.printJson(call)
        else terminal.print(`${id} ${call.status}`)
      }
    })
}
export default reject

function collectComment(given: string, earlier: readonly ReviewComment[]): ReviewComment[] {
  const { path, line, text } = /^(?<path>.+?):(?<line>[1-9]\d*):\s*(?<text>.+)$/s.exec(given)?.groups ?? {}
  if (!path || !line || !text)
    throw new InvalidArgumentError('Write the path, the line and the text, such as src/a.ts:12:Use the constant.')
  return [...earlier, { path, line: Number(line), text }]
}
