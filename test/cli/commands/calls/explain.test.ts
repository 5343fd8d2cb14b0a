// tier: full
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
