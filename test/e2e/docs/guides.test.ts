// The examples of all other documents run and give what they show.
import { globSync } from 'node:fs'
import t from 'tap'
import { EXTENDING, REFERENCE, testPages } from './world.ts'

testPages(
  t,
  globSync('docs/*.md')
    .filter(page => ![...EXTENDING, ...REFERENCE].includes(page))
    .sort()
)
