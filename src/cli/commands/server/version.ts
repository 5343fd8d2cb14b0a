import type { CommandSetup } from '../../command-setup.ts'

const version: CommandSetup = (command, context) => {
  command
    .description('Print the version.')
    .addHelpText('after', '\nExample:\n  toolgate version --json')
    .action(() => {
      const { terminal, version } = context
      if (terminal.json) terminal.printJson({ version, node: process.versions.node })
      else terminal.print(`toolgate ${version}`)
    })
}
export default version
