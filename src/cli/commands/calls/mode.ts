import { SESSION_MODES } from '../../../protocol/session-mode.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { parseDuration } from '../../context.ts'
import { parseChoice } from '../../exit.ts'
import { formatDue } from '../../ui/format-time.ts'

interface ModeOptions {
  session: string
  workspace?: string
  token?: string
  for?: string
  clear?: true
}

const mode: CommandSetup = (command, context) => {
  command
    .description(
      'Show or set the mode of a session, which selects the calls that run without approval. In plan, calls only read; in ask, policy decides; in accept-edits, edits of files in the workspace run without approval; in auto, also commands whose effects the sandbox limits to what can be undone.'
    )
    .argument('[mode]', SESSION_MODES.join(', '))
    .option('--session <id>', 'id of the session', 'default')
    .option('--workspace <name>', 'workspace of the session')
    .option('--token <id>', 'call-only token of the session, if several tokens use the same session id')
    .option('--for <duration>', 'lifetime of the mode, such as 2h')
    .option('--clear', 'end the mode, so that the configured mode applies again')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate mode\n  toolgate mode plan\n  toolgate mode accept-edits --session fix-123 --for 2h\n  toolgate mode --clear'
    )
    .action(async (name: string | undefined, { session, workspace, token, for: lifetime, clear }: ModeOptions) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const where = { ...(workspace !== undefined && { workspace }), ...(token !== undefined && { token_id: token }) }
      if (name !== undefined) {
        const set = await client.setMode(
          session,
          {
            mode: parseChoice('mode', name, SESSION_MODES),
            ...where,
            ...(lifetime !== undefined && { expires_at: new Date(Date.now() + parseDuration(lifetime)).toISOString() })
          },
          { signal }
        )
        if (terminal.json) return terminal.printJson(set)
        return terminal.print(`${set.session_id}: ${set.mode}`)
      }
      const list = clear ? await client.clearMode(session, { ...where, signal }) : await client.modes({ signal })
      if (terminal.json) return terminal.printJson(list)
      const rows = list.modes.map(one => [
        one.session_id,
        one.mode,
        one.workspace,
        one.token_id ?? '',
        one.expires_at ? formatDue(one.expires_at) : 'never',
        one.set_by
      ])
      if (rows.length > 0) await terminal.table(['SESSION', 'MODE', 'WORKSPACE', 'TOKEN', 'EXPIRES', 'SET BY'], rows)
      terminal.info(`Other sessions: ${list.default}.`)
    })
}
export default mode
