// Fixture: a server with hooks that are scripts.
import type { Test } from 'tap'
import type { Hook } from '../../../src/config/hooks.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'

/** A Node program as a hook: `say(answer)` prints it, `input` is its input. */
export const script = (body: string) => [
  process.execPath,
  '-e',
  `const input = JSON.parse(require('fs').readFileSync(0, 'utf8'))
   const say = answer => console.log(JSON.stringify(answer));
   { ${body} }`
]
/** Only one test is about the sandbox of hooks, and one about their timeout. */
export const kept = { isolation: 'none', timeout_ms: 120_000 } as const
export const before = (body: string, more: Partial<Hook> = {}): Hook => ({
  name: 'look',
  when: 'before',
  command: script(body),
  ...kept,
  ...more
})
export const after = (body: string, more: Partial<Hook> = {}): Hook => ({
  name: 'hear',
  when: 'after',
  command: script(body),
  ...kept,
  ...more
})

/** Starts a server with these hooks of its user, and of the workspace. */
export function hooked(t: Test, hooks: Hook[], { theirs = [], ...options }: StartOptions & { theirs?: Hook[] } = {}) {
  const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' }
  const none = { mcp_servers: {}, command_tools: {} }
  const of_workspace = (root: string) => ({ ...none, hooks: theirs, workspace: root, file: `${root}/f`, trusted: true })
  let root = ''
  const current = () => [{ ...none, hooks, trusted: true }, ...(root ? [of_workspace(root)] : [])]
  const started = startApp(t, files, { brought: { current, onChange: () => () => {} }, ...options })
  return started.then(server => {
    root = server.root
    return server
  })
}

export const runs = ({ hooks = [] }: Json) =>
  hooks.map(({ ms, ...run }: Json) => (typeof ms === 'number' ? run : { ms }))
