// Generates the tables of what users expect: each with "as expected" or the reason for a difference, and the test that shows it.
import { EXPECTATIONS, type Expectation } from '../test/conformance/expectations.ts'
import { markdownTable } from './schema-tables.ts'

export const expectationTables: Record<string, () => string> = Object.fromEntries(
  EXPECTATIONS.map(({ name, expectations }) => [
    `expected_${name.replaceAll(' ', '_')}`,
    () => markdownTable(['expected', 'here', 'shown by'], expectations.map(renderExpectation))
  ])
)

const renderExpectation = ({ expected, reason, test }: Expectation) => {
  const [file] = test.split(' > ') as [string]
  return [expected, reason ?? 'as expected', `[${file.replace('.test.ts', '')}](../${file})`]
}
