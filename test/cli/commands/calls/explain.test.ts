// tier: full

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { serveProject } from '../../toolgate.ts'

t.test('explain: a command line by its parts, a call by its tiers', async t => {
  const { toolgate } = await serveProject(t, { 'a.txt': 'one\n' })
  const line = await toolgate(['explain', '--', 'cat a.txt && npm test'])
  t.match(line, { code: 0, stderr: '' })
  t.match(line.stdout, /^(ask|strict): /)
  t.match(line.stdout, /\nauto {3}cat a\.txt +Only reads\. +read a\.txt\n/)
  t.match(line.stdout, /\nTIER +DECISION +REASON\nbuilt-in /)
  const words = JSON.parse((await toolgate(['explain', '--json', '--', 'cat', 'a b'])).stdout)
  t.match(words, { command: { text: "cat 'a b'" }, parts: [{ argv: ['cat', 'a b'] }] })
  t.match(await toolgate(['explain', '--', 'reboot']), { code: 5, stdout: /^deny: / })
  t.match(await toolgate(['explain', 'write_file', 'path=a.txt', 'content=x']), {
    code: 0,
    stdout: /^ask: Modifies files\./
  })
  const args = JSON.stringify({ path: 'a.txt' })
  t.match(await toolgate(['explain', 'read_file', '--args', args]), { code: 0, stdout: /^allow: / })
  t.match(await toolgate(['explain']), { code: 2 })
})

t.test('explain: names the narrowest rule that would allow a call, and what else it would have allowed', async t => {
  const { toolgate, folder, server, call_token } = await serveProject(t)
  for (const command of ['make', 'make', 'make all'])
    await toolgate(['call', 'shell_exec', `command=${command}`, '--no-wait', '--session', 's1'])
  const make = await toolgate(['explain', '--', 'make'])
  t.match(
    make.stdout,
    /\nnarrowest rule: Always allow exactly `make`.*, in this workspace\n {2}\{.*"command":"make","mode":"exact".*\}\nIt would also have allowed 2 calls of the 3 calls in the last 30 days:\n {2}2 × shell_exec {2}make\n$/
  )
  t.match(
    (await toolgate(['explain', '--', 'touch a'])).stdout,
    /\nIt would also have allowed 0 calls of the 3 calls in .*\.\n$/
  )
  t.match(
    (await toolgate(['explain', '--', 'rm -rf a'])).stdout,
    /\nNo rule that you can save would allow this call\.\n$/
  )
  t.notMatch((await toolgate(['explain', 'list_directory'])).stdout, /rule:/)
  const file = path.join(folder, 'token')
  writeFileSync(file, call_token, { mode: 0o600 })
  const env = { TOOLGATE_URL: server.url, TOOLGATE_TOKEN_FILE: file }
  const agent = await toolgate(['explain', '--', 'make'], { env })
  t.match(agent, { code: 0, stdout: /\nnarrowest rule: .*\n.*\}\n$/ }, 'an agent learns the rule alone')
})
