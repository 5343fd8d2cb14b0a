import type { Verb } from '../../run.ts'

const print: Verb = (command, context) => {
  command
    .description('Print the version.')
    .addHelpText('after', '\nExample:\n  toolgate version --json')
    .action(() => {
      const { terminal, version } = context
      if (terminal.json) terminal.outJson({ version, node: process.versions.node })
      else terminal.out(`toolgate ${version}`)
    })
}
export default print
