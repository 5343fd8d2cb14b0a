import { SCRIPTS } from './completion-scripts.ts'
import { oneOf } from './exit.ts'
import type { Verb } from './run.ts'

const completion: Verb = (command, { terminal }) => {
  command
    .description('Print what completes verbs, flags, tools, calls, jobs and rules in your shell.')
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
      terminal.write(SCRIPTS[oneOf('The shell', shell, Object.keys(SCRIPTS))]!)
    })
}
export default completion
