// Tests of the import of policies of Claude Code and Codex: what each line becomes.
// tier: quick
import t from 'tap'
import { createProject } from '../toolgate.ts'
import { readFixture, summarize } from './fixture.ts'

t.test('Claude Code: each line becomes a rule, or has a reason', async t => {
  const { toolgate } = createProject(t, { '.claude/settings.json': readFixture('claude-settings.json') })
  const { code, stdout } = await toolgate(['rules', 'import', '--json'])
  t.equal(code, 0)
  t.same(summarize(stdout), [
    '4 allow Bash(npm run test:*) → {"tool":"shell_exec","command":"npm run test","mode":"prefix"}',
    '5 allow Bash(git diff *) → {"tool":"shell_exec","command":"git diff","mode":"prefix"}',
    '6 allow Bash(npm run build) → {"tool":"shell_exec","command":"npm run build","mode":"exact"}',
    '7 allow Bash(git * main) — has a wildcard before its end, which allows any options of git',
    '8 allow Bash(ls*) — has a wildcard within a word, which would also allow other commands',
    '9 allow Bash(* --version) — allows any program',
    '10 allow Bash(npm ci && npm test) — allows a line of several commands; Toolgate allows each command separately',
    '11 allow Bash — allows every command, which Toolgate does not support',
    '12 allow Edit(src/**) → {"tool":"{edit_file,edit_notebook_cell,multi_edit,write_file}","path":"src/**"}',
    '13 allow Edit(/docs/*.md) → {"tool":"{edit_file,edit_notebook_cell,multi_edit,write_file}","path":"docs/*.md"}',
    '14 allow Edit(CHANGELOG.md) → {"tool":"{edit_file,edit_notebook_cell,multi_edit,write_file}","path":"**/CHANGELOG.md"}',
    '15 allow Write(src/**) — has no effect in Claude Code, which accepts only paths for Read and Edit',
    '16 allow Read(src/**) — Toolgate allows reading without approval, except for files that may contain credentials, which a rule must name',
    '17 allow Read(./.npmrc) → {"tool":"read_file","path":".npmrc"}',
    "18 allow Read(~/.zshrc) — is outside the workspace, which Toolgate's tools cannot leave",
    '19 allow WebFetch(domain:example.com) → {"tool":"web_fetch","host":"example.com"} (applies only to ports 80 and 443)',
    '20 allow mcp__github__get_issue → {"tool":"mcp:github:get_issue"}',
    '21 allow mcp__jira → {"tool":"mcp:jira:*"}',
    '22 allow Grep — needs no approval in Toolgate',
    '23 allow NotebookEdit → {"tool":"{edit_file,edit_notebook_cell,multi_edit,write_file}","path":"**/*.ipynb"}',
    '24 allow Task(explorer) — applies to a tool that Toolgate does not have',
    '25 allow 7 — is not a rule of Claude Code',
    '27 ask Bash(git push:*) → {"command":"git push","mode":"prefix"}',
    '27 ask Edit(/package.json) → {"tool":"{apply_patch,copy_file,delete_file,edit_file,edit_notebook_cell,move_file,multi_edit,write_file}","path":"{package.json,package.json/**}"} (does not apply to commands, although a command can also name the file)',
    '28 deny Read(./.env) → {"effect":"read","path":"{.env,.env/**}"}',
    '28 deny Read(secrets/) → {"effect":"read","path":"**/secrets/**"}',
    '28 deny Bash(curl:*) → {"command":"curl","mode":"prefix"}',
    '28 deny Bash(rm -rf * /) → {"pattern":"rm -rf .* /","param":"command"}',
    '28 deny WebFetch → {"tool":"web_fetch"}',
    '28 deny NotebookEdit → {"tool":"{apply_patch,copy_file,delete_file,edit_file,edit_notebook_cell,move_file,multi_edit,write_file}","path":"**/*.ipynb"} (does not apply to commands, although a command can also name the file)',
    '29 defaultMode: "bypassPermissions" — is a mode that has no equivalent in Toolgate, where rules always apply',
    '30 additionalDirectories: ["../docs/"] — Toolgate\'s tools cannot leave the workspace: serve the folder as another root'
  ])
})

t.test('Codex: literal calls alone', async t => {
  const { toolgate } = createProject(t, { '.codex/rules/default.rules': readFixture('codex.rules') })
  const { stdout } = await toolgate(['rules', 'import', '--json'])
  t.same(summarize(stdout), [
    '2 prefix_rule(pattern = ["npm", ["test", "run"]]) → {"tool":"shell_exec","command":"npm test","mode":"prefix"} ' +
      '{"tool":"shell_exec","command":"npm run","mode":"prefix"}',
    '3 prefix_rule( pattern = ["git", "push"], decision = "prompt", justification = "It publishes.", ' +
      'match = [["git", "push", "origin"]], ) → {"command":"git push","mode":"prefix"}',
    `10 prefix_rule(pattern=['rm'], decision='forbidden') → {"command":"rm","mode":"prefix"}`,
    '11 prefix_rule(pattern = ["git", "commit -m"], decision = "forbidden") → {"pattern":"git \'commit -m\'(?:\\\\s.*)?","param":"command"}',
    '12 prefix_rule(pattern = ["git", "commit -m"]) — begins with words that need quotes, or are not whole words',
    '13 host_executable(name = "git", paths = ["/usr/bin/git"]) — applies to programs by absolute path; Toolgate\'s ask and deny rules apply to such programs, too'
  ])
})

t.test('Codex: what is not read may restrict, so that nothing is allowed beside it', async t => {
  const { toolgate } = createProject(t, {
    '.codex/rules/a.rules': 'prefix_rule(pattern = ["npm"])\nprefix_rule(pattern = ["rm"], decision = "prompt")\n',
    '.codex/rules/b.rules': 'for word in ["a"]:\n    prefix_rule(pattern = [word], decision = "forbidden")\n'
  })
  const { stdout } = await toolgate(['rules', 'import', '--json'])
  t.same(summarize(stdout), [
    '1 prefix_rule(pattern = ["npm"]) — may be restricted by for word in ["a"]:, which has no equivalent in Toolgate',
    '2 prefix_rule(pattern = ["rm"], decision = "prompt") → {"command":"rm","mode":"prefix"}',
    '1 for word in ["a"]: — is not a call with literal values, which is the only form that can be converted',
    '2 prefix_rule(pattern = [word], decision = "forbidden") — is not a call with literal values, which is the only form that can be converted'
  ])
})

t.test('a malformed file is reported with its place, and the others are read', async t => {
  const { toolgate, project } = createProject(t, {
    '.claude/settings.json': '{ "permissions": {\n  "deny": [ "Bash(rm:*)" }\n',
    '.codex/rules/a.rules': 'prefix_rule(\n  pattern = ["npm],\n)\n',
    '.codex/rules/b.rules': 'prefix_rule(pattern = ["npm"]\n',
    '.codex/rules/c.rules': 'prefix_rule(pattern = ["rm"], decision = "forbidden")\nprefix_rule(pattern = ["ls"])\n'
  })
  const { code, stdout, stderr } = await toolgate(['rules', 'import'])
  t.equal(code, 1)
  t.match(stdout, /c\.rules \(Codex\)\n.*\n\w{6} +1 +prefix_rule.* deny \{"command":"rm","mode":"prefix"\}/)
  t.match(stdout, /prefix_rule\(pattern = \["ls"\]\) +no rule: may be restricted by .*a\.rules, which cannot be read/)
  t.match(stderr, `toolgate: ${project}/.claude/settings.json:2:26: the file is not valid JSON: comma expected\n`)
  t.match(stderr, `toolgate: ${project}/.codex/rules/a.rules:2:14: the string is not closed\n`)
  t.match(stderr, `toolgate: ${project}/.codex/rules/b.rules:1:12: ( is not closed\n`)
})

t.test('a file elsewhere is named with its program', async t => {
  const { toolgate } = createProject(t, { 'policy.json': '{"permissions":{"deny":["Bash(rm:*)"]}}' })
  t.match(await toolgate(['rules', 'import']), { code: 0, stderr: 'No policies of other programs found.\n' })
  t.match(await toolgate(['rules', 'import', 'policy.json']), {
    code: 2,
    stderr: /^toolgate: Unknown format: policy.json/
  })
  const { stdout } = await toolgate(['rules', 'import', 'policy.json', '--from', 'claude-code', '--json'])
  t.same(summarize(stdout), ['1 deny Bash(rm:*) → {"command":"rm","mode":"prefix"}'])
  const missing = await toolgate(['rules', 'import', 'none.rules'])
  t.match(missing, { code: 1, stderr: /none\.rules: does not exist/ })
})
