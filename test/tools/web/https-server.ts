// Fixture: HTTPS servers with a certificate made for the test, trusted by this process alone.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { execaSync } from 'execa'
import type { Test } from 'tap'
import { createFakeNetwork, type FakeNetwork, listen } from '../../host/egress/fake-network.ts'

/** Creates a key and a certificate for these names; with `trusted` every connection of this process accepts it. */
export function createCertificate(t: Test, names: readonly string[], { trusted = true } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'certificate-'))
  const [key, cert] = ['key.pem', 'cert.pem'].map(name => path.join(folder, name)) as [string, string]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const about = ['-subj', '/CN=test', '-addext', `subjectAltName=${names.map(name => `DNS:${name}`).join(',')}`]
  execaSync('openssl', [...request, ...about, '-keyout', key, '-out', cert])
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(folder, { recursive: true })
  if (trusted) {
    const before = getCACertificates()
    setDefaultCACertificates([...before, made.cert])
    t.teardown(() => setDefaultCACertificates(before))
  }
  return made
}

export const startHttpsServer = (
  t: Test,
  made: { key: string; cert: string },
  answer: RequestListener
): Promise<Server> => listen(t, createServer(made, answer))

/** Returns the same network with port 443 on another server. */
export function withHttpsServer(outside: FakeNetwork, secure: Server): FakeNetwork {
  const other = createFakeNetwork(secure)
  return {
    ...outside,
    dial: (address, port) => {
      if (port !== 443) return outside.dial(address, port)
      outside.dialled.push(`${address} ${port}`)
      return other.dial(address, port)
    }
  }
}
