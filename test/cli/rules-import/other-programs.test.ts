// Tests of the import of policies of Gemini CLI, opencode and VS Code: what each line becomes.
// tier: quick
import t from 'tap'
import { createProject } from '../toolgate.ts'
import { readFixture, summarize } from './fixture.ts'

async function readAll(t: Parameters<typeof createProject>[0], files: Record<string, string>) {
  const { toolgate } = createProject(t, files)
  return summarize((await toolgate(['rules', 'import', '--json'])).stdout)
}

t.test('Gemini CLI', async t => {
  t.same(await readAll(t, { '.gemini/policies/a.toml': readFixture('gemini.toml') }), [
    '1 toolName = "run_shell_command", commandPrefix = ["git status","npm test"], decision = "allow", priority = 200 → {"tool":"shell_exec","command":"git status","mode":"prefix"} {"tool":"shell_exec","command":"npm test","mode":"prefix"} (in Gemini CLI, it takes precedence over rules of lower priority that ask or deny; in Toolgate, those rules take precedence)',
    '7 toolName = "run_shell_command", commandPrefix = "git push", decision = "deny", priority = 100, denyMessage = "Publishing is for people." → {"command":"git push","mode":"prefix"}',
    String.raw`14 commandRegex = "cargo (build|check)\\b", decision = "allow", priority = 50 → {"tool":"shell_exec","pattern":"(?:(?:cargo (build|check)\\b)).*","param":"command"}`,
    '19 toolName = ["write_file","replace"], decision = "ask_user", priority = 10 → {"tool":"{apply_patch,copy_file,delete_file,edit_file,edit_notebook_cell,move_file,multi_edit,write_file}"}',
    '24 mcpName = "jira", toolName = "get_issue", decision = "allow", priority = 10 → {"tool":"mcp:jira:get_issue"}',
    '30 toolName = "web_fetch", argsPattern = "internal", decision = "deny", priority = 500 — has the condition argsPattern, which has no equivalent in Toolgate',
    '36 toolName = "web_fetch", decision = "allow", priority = 400, modes = ["default","autoEdit"] — may be restricted by toolName = "web_fetch", argsPattern = "internal", decision = "deny", priority = 500, which has no equivalent in Toolgate',
    '42 toolName = "*", decision = "allow", priority = 1, modes = ["yolo"] — applies only to the modes yolo'
  ])
})

t.test('opencode', async t => {
  t.same(await readAll(t, { 'opencode.jsonc': readFixture('opencode.jsonc') }), [
    '6 bash "*": ask — applies only if no later line does; in Toolgate, such calls need approval, or follow the mode',
    '7 bash "git *": allow → {"tool":"shell_exec","command":"git","mode":"prefix"}',
    '8 bash "git push *": deny → {"command":"git push","mode":"prefix"} (in OpenCode, a later line can allow a part of it; in Toolgate, this rule takes precedence)',
    '9 bash "npm test": allow → {"tool":"shell_exec","command":"npm test","mode":"exact"}',
    '10 bash "ls*": allow — has a wildcard that is not a separate argument at the end',
    '11 bash "rm -rf *": deny → {"command":"rm -rf","mode":"prefix"} (in OpenCode, a later line can allow a part of it; in Toolgate, this rule takes precedence)',
    '12 bash "grep *": allow → {"tool":"shell_exec","command":"grep","mode":"prefix"}',
    '15 edit "*": deny — applies only if no later line does; in Toolgate, such calls need approval, or follow the mode',
    '16 edit "docs/*.md": allow → {"tool":"{edit_file,edit_notebook_cell,multi_edit,write_file}","path":"docs/*.md"}',
    '18 read "*.env": deny → {"effect":"read","path":"**/*.env"}',
    '19 webfetch "https://example.com/*": allow → {"tool":"web_fetch","host":"example.com:443"}',
    '20 websearch: allow → {"tool":"web_search"}',
    '21 external_directory "~/projects/**": allow — is outside the workspace, which Toolgate\'s tools cannot leave',
    '22 skill: ask — applies to a tool that Toolgate does not have',
    '24 agent build: permission — applies to one agent: see agents in the configuration'
  ])
})

t.test('VS Code', async t => {
  t.same(await readAll(t, { '.vscode/settings.json': readFixture('vs-code-settings.jsonc') }), [
    '4 "npm test": true → {"tool":"shell_exec","command":"npm test","mode":"prefix"}',
    String.raw`5 "npm run": false → {"pattern":"(?:\\./)?npm run\\b.*","param":"command"}`,
    String.raw`6 "/^git (status|diff)\\b/": true → {"tool":"shell_exec","pattern":"(?:git (status|diff)\\b).*","param":"command"}`,
    '7 "/^cargo (build|check)$/i": true → {"tool":"shell_exec","pattern":"(?i)(?:cargo (build|check))","param":"command"}',
    '8 "/rm/": false → {"pattern":".*(?:rm).*","param":"command"}',
    '9 "/.*/": true — allows commands that begin with any text',
    '10 "/^(?!rm)/": true — has a regular expression that has no equivalent in Toolgate',
    '11 "make": {"approve":true,"matchCommandLine":true} — allows whole command lines; Toolgate allows each command separately',
    '12 "curl": null — removes a default rule of VS Code',
    '13 "npm run-": true — does not end with a whole word',
    '15 chat.tools.global.autoApprove: true — allows every tool, which Toolgate does not support'
  ])
})

t.test('an error in a file of Gemini CLI has its place', async t => {
  const { toolgate } = createProject(t, { '.gemini/policies/a.toml': '[[rule]]\ndecision = allow\n' })
  t.match(await toolgate(['rules', 'import']), { code: 1, stderr: /a\.toml:2:\d+: / })
})
