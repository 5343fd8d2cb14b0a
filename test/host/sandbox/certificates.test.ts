// Tests of certificates: sandboxed commands trust the same ones as the server's environment, and see no other files by that.
// tier: quick
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { startSandboxFixture } from './fixture.ts'

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
const KEY = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n'

t.test('shows the files that variables name', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t, {
    variables: at => ({
      NODE_EXTRA_CA_CERTS: at('home/certs/company.pem'),
      SSL_CERT_DIR: `${at('authorities')}:${at('mixed')}:${at('home')}:/`,
      SSL_CERT_FILE: at('gone.pem'),
      CURL_CA_BUNDLE: at('home/.ssh/ca.pem'),
      PIP_CERT: at('outside/with-key.pem'),
      REQUESTS_CA_BUNDLE: at('state/ca.pem'),
      GIT_SSL_CAINFO: at('workspace/.env'),
      AWS_CA_BUNDLE: at('outside/canary'),
      OTHER_CA_FILE: at('outside/other.pem')
    })
  })
  world.write('home/certs/company.pem', CERTIFICATE)
  world.write('home/certs/note.txt', 'a note')
  world.write('authorities/5ed36f99.0', CERTIFICATE)
  world.write('mixed/ca.pem', CERTIFICATE)
  world.write('mixed/server.pem', CERTIFICATE + KEY)
  world.write('outside/with-key.pem', CERTIFICATE + KEY)
  for (const file of ['home/.ssh/ca.pem', 'state/ca.pem', 'workspace/.env', 'outside/other.pem'])
    world.write(file, CERTIFICATE)
  const seen = `cd ${world.top} && cat "$NODE_EXTRA_CA_CERTS" authorities/*; ls home/certs; echo x >> "$NODE_EXTRA_CA_CERTS"`
  const hidden = [
    'home/certs/note.txt',
    'mixed/ca.pem',
    'home/.ssh/ca.pem',
    'state/ca.pem',
    'outside/with-key.pem',
    'outside/canary',
    'outside/other.pem',
    'workspace/.env'
  ]
  for (const level of ['workspace', 'read-only'] as const) {
    const { stdout, stderr } = await world.run(seen, { level })
    t.equal(stdout, `${CERTIFICATE}${CERTIFICATE}company.pem\n`, level)
    t.match(stderr, /Read-only file system/)
    t.equal((await world.run(`cd ${world.top}; cat ${hidden.join(' ')}`, { level })).stdout, '', level)
    const named = { SSL_CERT_FILE: world.at('outside/other.pem') }
    t.equal(
      (await world.run('cat "$SSL_CERT_FILE"', { level, env: named })).stdout,
      '',
      'what a call names is not shown'
    )
  }
  t.equal((await world.run('echo "$OTHER_CA_FILE"')).stdout, '\n')
})
