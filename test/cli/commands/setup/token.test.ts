// tier: quick
import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { normalizeOutput, serveProject } from '../../toolgate.ts'

const CODE = /^(http:\/\/127\.0\.0\.1:\d+)\/#code=([\w-]{22})$/

const { folder, server, toolgate } = await serveProject(t)

t.test('creates, lists and revokes tokens', async t => {
  t.match(await toolgate(['token', 'list']), { code: 0, stdout: '', stderr: 'No tokens.\n' })
  const made = await toolgate(['token', 'create', '--agent', 'reviewer', '--expires', '2h'])
  t.match(made, {
    code: 0,
    stdout: /^tg_[\w-]{43}\n$/,
    stderr:
      /^Created tok_[\w-]+ \(reviewer\), valid until .* \(in (?:2 h|1 h 59 min)\)\. The token is not shown again\.\n$/
  })
  const [given] = JSON.parse((await toolgate(['token', 'list', '--json'])).stdout)
  t.match(given, { name: 'reviewer', kind: 'token', rights: ['call'], agent: 'reviewer' })
  t.equal(Date.parse(given.expires_at) - Date.parse(given.created_at), 7_200_000)
  t.equal(
    normalizeOutput((await toolgate(['token', 'list'])).stdout)
      .replace(given.token_id, 'TOKEN')
      .replace(/ +/g, ' '),
    'TOKEN KIND ROLE AGENT EXPIRES NAME\n' + 'TOKEN token call reviewer TIME reviewer\n'
  )
  const state = () => fetch(`${server.url}/state`, { headers: { authorization: `Bearer ${made.stdout.trim()}` } })
  t.equal((await state()).status, 200)
  t.same(await toolgate(['token', 'revoke', given.token_id]), {
    code: 0,
    stdout: `${given.token_id} revoked\n`,
    stderr: ''
  })
  t.equal((await state()).status, 401)
  t.match(await toolgate(['token', 'revoke', given.token_id]), { code: 1, stderr: /There is no token with this id/ })
  t.match(await toolgate(['token', 'create', '--role', 'all']), { code: 2, stderr: /Expected one of: call, approve/ })
})

t.test('opens the console with a code, or prints its address', async t => {
  const printed = await toolgate(['open'])
  t.match(
    printed,
    { code: 0, stderr: 'The address can be used once, within one minute.\n' },
    'no display, so it is printed'
  )
  const [, url, code] = CODE.exec(printed.stdout.trim())!
  t.equal(url, server.url)
  const body = JSON.stringify({ code })
  const trade = () => fetch(`${url}/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  t.match(await (await trade()).json(), { kind: 'session', rights: ['call', 'approve'] })
  t.equal((await trade()).status, 401)
  const { url: asked } = JSON.parse((await toolgate(['open', '--role', 'call', '--json'])).stdout)
  t.match(asked, CODE)

  // A fake browser that records its arguments and the files it finds.
  const [bin, told, stale] = ['bin', 'told', 'home/.local/state/toolgate/run/open-old.html'].map(name =>
    path.join(folder, name)
  ) as [string, string, string]
  mkdirSync(bin)
  execaSync('mkfifo', [told])
  for (const name of ['xdg-open', 'open'])
    writeFileSync(path.join(bin, name), `#!/bin/sh\n(echo "$@"; cat "$1") > ${told}\n`, { mode: 0o755 })
  writeFileSync(stale, 'left before')
  utimesSync(stale, 1, 1)
  const env = { DISPLAY: ':0', PATH: `${bin}:${process.env.PATH}` }
  const [opened, heard] = await Promise.all([toolgate(['open'], { env }), readFile(told, 'utf8')])
  t.match(opened, { code: 0, stdout: '', stderr: `Opening the console of ${server.url}. If the browser cannot read` })
  const [given, ...page] = heard.split('\n')
  t.match(given, /^\/[^ ]*\/toolgate\/run\/open-[\w-]+\.html$/, 'a file, and nothing else, stands in the list')
  t.equal(statSync(given!).mode & 0o777, 0o600)
  t.match(/content="0; url=([^"]+)"/.exec(page.join('\n'))?.[1], CODE)
  t.notOk(existsSync(stale), 'what was left before is gone')
})
