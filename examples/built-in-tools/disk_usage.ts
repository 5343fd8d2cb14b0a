import { Type } from 'typebox'
import { ToolError } from '../../src/errors.ts'
import { quoteArgv } from '../../src/text/shell-quote.ts'
import { defineTool } from '../../src/tool/tool.ts'

export default defineTool({
  name: 'disk_usage',
  category: 'commands',
  description: 'Sum up the sizes of the files in a folder.',
  input: Type.Object(
    { path: Type.String({ description: 'Folder to measure, relative to the workspace root.' }) },
    { additionalProperties: false }
  ),
  output: Type.Object({ output: Type.String({ description: 'Output of du.' }) }),
  timeout_ms: 65_000,
  effect: 'execute',
  traits: { capturesOutput: true },
  request: ({ path }) => ({ paths: [{ path, access: 'list', tree: true }] }),
  plan({ path }, { host }) {
    const { path: cwd } = host.files.resolve(path)
    const du = host.processes.find(['du'])
    if (du === undefined) throw new ToolError('EXECUTION_ERROR', 'du is not installed. Install coreutils.')
    const program = { argv: [du, '-sk', '.'], cwd }
    return {
      state: program,
      command: { program },
      preview: () => ({ title: `Measure ${path}`, text: quoteArgv(program.argv) })
    }
  },
  async *run(_input, { host, command }, program) {
    const running = host.processes.run({ ...program, isolation: command.isolation, timeout_ms: 60_000 })
    let step = await running.next()
    for (; !step.done; step = await running.next()) yield { delta: step.value }
    const { exit_code, output } = step.value
    if (exit_code !== 0) throw new ToolError('EXECUTION_ERROR', `du ended with exit code ${exit_code}.`, { exit_code, output })
    return { output }
  },
  present: ({ output }, { path }) => ({ title: path, content: output })
})
