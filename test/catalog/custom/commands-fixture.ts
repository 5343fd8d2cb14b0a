// Fixture: a server with command tools, and a command that prints what it is given.
import type { CommandTool } from '../../../src/config/custom-tools.ts'
import { startWithCustomTools } from './fixture.ts'

/** Prints its arguments and its standard input as JSON. */
export const ECHO = `
const chunks = []
process.stdin.on('data', chunk => chunks.push(chunk)).on('end', () => {
  const stdin = Buffer.concat(chunks).toString()
  console.log(JSON.stringify({ words: process.argv.slice(2), stdin, of: process.env.OF ?? null, cwd: process.cwd() }))
})
`
export const properties = {
  name: { type: 'string' },
  loud: { type: 'boolean' },
  others: { type: 'array', items: { type: 'string' } }
}
export const GREET: CommandTool = {
  description: 'Greet somebody.',
  input: { type: 'object', properties, required: ['name'] },
  argv: ['node', 'echo.cjs', '--name={name}', { when: 'loud', words: ['--loud'] }, '{others}'],
  answer: 'json'
}

export async function start(
  t: Parameters<typeof startWithCustomTools>[0],
  tools: Record<string, CommandTool>,
  more = {}
) {
  const app = await startWithCustomTools(t, {}, {})
  app.write('echo.cjs', ECHO)
  app.brought.commands(tools, more)
  await app.changed().catch(() => {})
  return app
}
