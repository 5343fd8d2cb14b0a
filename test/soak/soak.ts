// npm run campaign -- soak [--hub] [--rounds N]: kills a writer repeatedly; with --hub, servers, hubs and their PostgreSQL instead.
await import(process.argv.includes('--hub') ? './hub-rounds.ts' : './kill-rounds.ts')
