// Tests of the examples in all other documents: their output matches.
import { globSync } from 'node:fs'
import t from 'tap'
import { EXTENDING, PYTHON, REFERENCE, testPages } from './world.ts'

testPages(
  t,
  globSync('docs/*.md')
    .filter(page => ![...EXTENDING, ...REFERENCE, PYTHON].includes(page))
    .sort()
)
