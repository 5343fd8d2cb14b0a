// Initial configuration of a project: detects commands that may run without approval, and renders the file.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { readUserFile } from '../../host/user-file.ts'

/** Scripts that only check, and are run repeatedly. */
const CHECK_SCRIPTS: readonly string[] = ['test', 'lint', 'check', 'types', 'typecheck', 'format']

/** Checks by characteristic file of a project type. */
const CHECKS_BY_FILE: Readonly<Record<string, readonly string[]>> = {
  'Cargo.toml': ['cargo test', 'cargo check'],
  'go.mod': ['go test', 'go vet'],
  'pyproject.toml': ['pytest'],
  'pom.xml': ['mvn test'],
  'build.gradle': ['gradle test'],
  'mix.exs': ['mix test']
}

/** Detects the project's commands for checks. */
export function detectChecks(root: string): string[] {
  const found = Object.entries(CHECKS_BY_FILE).flatMap(([file, commands]) =>
    existsSync(path.join(root, file)) ? commands : []
  )
  return [...detectScripts(path.join(root, 'package.json')), ...found]
}

function detectScripts(file: string): string[] {
  if (!existsSync(file)) return []
  try {
    const { scripts = {} } = JSON.parse(readUserFile(file)) as { scripts?: Record<string, unknown> }
    return CHECK_SCRIPTS.filter(name => Object.hasOwn(scripts, name)).map(name =>
      name === 'test' ? 'npm test' : `npm run ${name}`
    )
  } catch {
    return []
  }
}

export interface InitialPolicy {
  /** Commands, by their leading words, that run without approval; sandboxed like others. */
  allowed: readonly string[]
  /** Commands that agents may never run. */
  denied: readonly string[]
  readOnly: boolean
}

export const renderConfig = ({
  allowed,
  denied,
  readOnly
}: InitialPolicy) => `// Toolgate's configuration for this project. All settings: toolgate config schema
// Settings that loosen the defaults take effect after a person has trusted this file: toolgate trust .toolgate/config.jsonc
{
  // Deny every call that is not a read.
  "read_only": ${readOnly},
  // Isolation of commands: auto, workspace, read-only or none.
  // "sandbox": { "level": "auto" },
  // Reads and read-only commands run without approval; other calls need approval. These rules override that.
  "rules": [${[...denied.map(command => renderRule('deny', command, 'Only people can do this.')), ...allowed.map(command => renderRule('allow', command))].map(rule => `\n    ${rule}`).join(',')}${allowed.length + denied.length > 0 ? '\n  ' : ''}]
}
`

function renderRule(effect: 'allow' | 'deny', command: string, reason?: string) {
  const match = { tool: 'shell_exec', command, mode: 'prefix' }
  return JSON.stringify({ effect, match, ...(reason && { reason }) })
}
