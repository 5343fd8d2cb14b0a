import type { CommandSetup } from '../../command-setup.ts'
import { COMPLETION_SCRIPTS } from '../../completion/scripts.ts'
import { parseChoice } from '../../exit.ts'

const completion: CommandSetup = (command, { terminal }) => {
  command
    .description('Print a shell script that completes commands, options, tools, calls, jobs and rules.')
    .argument('<shell>', Object.keys(COMPLETION_SCRIPTS).join(', '))
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(toolgate completion bash)' >> ~/.bashrc
  toolgate completion zsh > "\${fpath[1]}/_toolgate"
  toolgate completion fish > ~/.config/fish/completions/toolgate.fish`
    )
    .action((shell: string) => {
      terminal.write(COMPLETION_SCRIPTS[parseChoice('shell', shell, Object.keys(COMPLETION_SCRIPTS))]!)
    })
}
export default completion
