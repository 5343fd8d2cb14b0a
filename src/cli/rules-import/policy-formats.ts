// The formats that can be imported, with the files in which they are looked for.
import { parseClaudeSettings } from './claude-code.ts'
import { parseCodexRules } from './codex.ts'
import { parseGeminiPolicy } from './gemini-cli.ts'
import { parseOpencodeConfig } from './opencode.ts'
import type { PolicyEntry, PolicyFile } from './policy-entry.ts'
import { parseVsCodeSettings } from './vs-code.ts'

interface PolicyFormat {
  title: string
  /** Patterns of the known places, relative to the folder. */
  inProject: readonly string[]
  inHome: readonly string[]
  /** Returns true if a file with this path is of the format. */
  isFormat(file: string): boolean
  parse(file: PolicyFile): Promise<PolicyEntry[]>
}

export const POLICY_FORMATS: Readonly<Record<string, PolicyFormat>> = {
  'claude-code': {
    title: 'Claude Code',
    inProject: ['.claude/settings.json', '.claude/settings.local.json'],
    inHome: ['.claude/settings.json'],
    isFormat: file => /(?:^|\/)\.claude\/[^/]*\.json$|managed-settings\.json$/.test(file),
    parse: parseClaudeSettings
  },
  codex: {
    title: 'Codex',
    inProject: ['.codex/rules/*.rules'],
    inHome: ['.codex/rules/*.rules'],
    isFormat: file => file.endsWith('.rules'),
    parse: parseCodexRules
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    inProject: ['.gemini/policies/*.toml'],
    inHome: ['.gemini/policies/*.toml'],
    isFormat: file => file.endsWith('.toml'),
    parse: parseGeminiPolicy
  },
  opencode: {
    title: 'opencode',
    inProject: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    inHome: ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
    isFormat: file => /(?:^|\/)opencode\.jsonc?$/.test(file),
    parse: parseOpencodeConfig
  },
  'vs-code': {
    title: 'VS Code',
    inProject: ['.vscode/settings.json'],
    inHome: ['.config/Code/User/settings.json', 'Library/Application Support/Code/User/settings.json'],
    isFormat: file => /\/(?:\.vscode|Code\/User)\/settings\.json$/.test(file),
    parse: parseVsCodeSettings
  }
}

/** A file of a known format. */
export interface FoundPolicy {
  path: string
  format: string
  /** Rules of a person's home folder are for the user, those of a project for its workspace. */
  scope: 'user' | 'workspace'
}

/** Finds the policies of a project and of its user. */
export async function findPolicies(project: string, home: string): Promise<FoundPolicy[]> {
  const { globby } = await import('globby')
  const places = Object.entries(POLICY_FORMATS).flatMap(([format, { inProject, inHome }]) => [
    { format, scope: 'workspace' as const, patterns: inProject, cwd: project },
    ...(project === home ? [] : [{ format, scope: 'user' as const, patterns: inHome, cwd: home }])
  ])
  const found = places.map(async ({ format, scope, patterns, cwd }) => {
    const files = await globby(patterns, { cwd, absolute: true, dot: true })
    return files.sort().map(file => ({ path: file, format, scope }))
  })
  return (await Promise.all(found)).flat()
}

/** Returns the format of a file; undefined if its path does not show it. */
export const findFormat = (file: string): string | undefined =>
  Object.keys(POLICY_FORMATS).find(name => POLICY_FORMATS[name]!.isFormat(file))
