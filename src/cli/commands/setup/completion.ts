import { SCRIPTS } from '../../completion/scripts.ts'
import { oneOf } from '../../exit.ts'
import type { Verb } from '../../run.ts'

const completion: Verb = (command, { terminal }) => {
  command
    .description('Print a script that completes commands, options, tools, calls, jobs and rules.')
    .argument('<shell>', Object.keys(SCRIPTS).join(', '))
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(toolgate completion bash)' >> ~/.bashrc
  toolgate completion zsh > "\${fpath[1]}/_toolgate"
  toolgate completion fish > ~/.config/fish/completions/toolgate.fish`
    )
    .action((shell: string) => {
      terminal.write(SCRIPTS[oneOf('shell', shell, Object.keys(SCRIPTS))]!)
    })
}
export default completion
