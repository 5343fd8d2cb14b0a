// Fixture: a small TypeScript project, and the servers that support it.
import type { Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'
import type { Part } from '../../support/needs.ts'

const { language_servers } = defaultSettings()

/** Both servers for TypeScript, with their settings. */
export const TYPESCRIPT: Record<string, { part: Part; settings: Settings['language_servers'] }> = {
  typescript: { part: 'tsc', settings: language_servers },
  'typescript-language-server': {
    part: 'typescript-language-server',
    settings: { ...language_servers, servers: { typescript: { disabled: true } } }
  }
}

export const TYPESCRIPT_PROJECT = {
  'package.json': '{ "name": "fixture", "type": "module" }\n',
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2023", "types": [] }, "include": ["src"] }\n',
  'src/greet.ts':
    "/** Says hello. */\nexport function greet(name: string): string {\n\treturn ['Hello', name].join(' ')\n}\n",
  'src/main.ts':
    "import { greet } from './greet.js'\n\nconst fox = '🦊🦊'; const loud = greet(fox)\n\tconsole(greet(loud))\n\ndeclare function console(text: string): void\n"
}

/** Starts a server on the project, with approvals. */
export async function startTypeScriptProject(
  t: Test,
  files: Record<string, string> = TYPESCRIPT_PROJECT,
  options: StartOptions = {}
) {
  const settings = { language_servers: TYPESCRIPT.typescript!.settings, ...options.settings }
  const app = await startApp(t, files, { ...options, settings: { ...settings } })
  const approve = ({ tool_call_id, approval }: Json) =>
    app.post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest, confirm: true })
  /** Runs a tool, approves it if required, and waits however long a server takes to start. */
  const done = async (tool: string, params: object, more: object = {}) => {
    const call = await app.post('/calls', { tool, params, ...more })
    return call.status === 'awaiting_approval' ? approve(call) : call
  }
  return { ...app, approve, done }
}

/** Returns the data of a successful call, without what varies. */
export const successData = ({ status, error, result }: Json): Json => {
  if (status !== 'success') throw new Error(`${status}: ${JSON.stringify(error)}`)
  return result.data
}
