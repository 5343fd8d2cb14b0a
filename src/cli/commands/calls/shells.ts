import type { CommandSetup } from '../../command-setup.ts'

interface ShellsOptions {
  session: string
  workspace?: string
  token?: string
  reset?: string
}

const shells: CommandSetup = (command, context) => {
  command
    .description(
      'List the named shells of a session. A named shell keeps its working directory and exported variables between commands.'
    )
    .option('--session <id>', 'id of the session', 'default')
    .option('--workspace <name>', 'workspace of the session')
    .option('--token <id>', 'only shells of this call-only token')
    .option('--reset <name>', 'reset the shell of this name')
    .addHelpText('after', '\nExamples:\n  toolgate shells\n  toolgate shells --session fix-123 --reset dev')
    .action(async ({ session, workspace, token, reset }: ShellsOptions) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const where = { ...(workspace !== undefined && { workspace }), ...(token !== undefined && { token_id: token }) }
      const list =
        reset === undefined
          ? await client.shells(session, { ...where, signal })
          : await client.resetShell(session, reset, { ...where, signal })
      if (terminal.json) return terminal.printJson({ shells: list })
      if (list.length === 0) return terminal.info(`The session ${session} has no shells.`)
      const rows = list.map(({ name, token_id, cwd, variables }) => [name, token_id ?? '', cwd, variables.join(' ')])
      await terminal.table(['SHELL', 'TOKEN', 'FOLDER', 'VARIABLES'], rows)
    })
}
export default shells
