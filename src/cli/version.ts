import type { Verb } from './run.ts'

const version: Verb = (command, context) => {
  command.description('Print the version.').action(() => {
    const { terminal, world } = context
    if (terminal.json) terminal.outJson({ version: world.version, node: process.versions.node })
    else terminal.out(`toolgate ${world.version}`)
  })
}
export default version
