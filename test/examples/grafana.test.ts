// Tests that the Grafana dashboard queries metrics and labels that the server has.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { startApp } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

interface Dashboard {
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[]
}

/** Labels that Prometheus adds. */
const ADDED_LABELS = ['job', 'instance']

t.test('the dashboard queries what the server exports', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  await app.call('read_file', { path: 'a.txt' })
  let text = ''
  // A read is answered before it is counted.
  await waitUntil('the call is counted', async () => {
    text = (await app.request('GET', '/metrics')).body
    return text.includes('toolgate_calls_total{')
  })
  const { panels } = JSON.parse(readFileSync('examples/grafana/dashboard.json', 'utf8')) as Dashboard
  t.ok(panels.length > 0)
  for (const { title, targets } of panels)
    for (const { expr, legendFormat } of targets) {
      const [name = ''] = /toolgate_\w+/.exec(expr) ?? []
      const series = text.split('\n').filter(line => new RegExp(`^${name}(?:\\{| )`).test(line))
      t.ok(series.length > 0, `${title}: ${name}`)
      const labels = [...expr.matchAll(/(\w+)="/g), ...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(found => found[1]!)
      for (const label of labels)
        t.ok(ADDED_LABELS.includes(label) || series.some(line => line.includes(`${label}=`)), `${title}: ${label}`)
    }
})
