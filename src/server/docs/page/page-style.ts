/** The style sheet of the page. Swagger UI is wider than a narrow window. */
export const STYLE = `:root { color-scheme: light dark; --ground: light-dark(#fff, #1c2022); --line: light-dark(#d0d7de, #454d51); background: var(--ground); }
* { box-sizing: border-box; }
body { margin: 0; color: light-dark(#1d2327, #e4e6e6); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: light-dark(#0b5cad, #7cbcff); }
.bar, .note { padding: 10px max(20px, (100% - 1420px) / 2); border-bottom: 1px solid var(--line); font-size: 14px; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 20px; background: light-dark(#f6f8fa, #14181a); }
.bar p { flex: auto; margin: 0; font-size: 16px; font-weight: 600; }
.bar select { max-width: 60vw; padding: 5px 8px; background: var(--ground); color: inherit; font: inherit; }
.note { background: light-dark(#fff4d6, #3a2f12); }
.note:is([data-status='retired'], [data-status='sunset']) { background: light-dark(#fde4e4, #42201f); }
.list { max-width: 860px; margin: 32px auto; padding: 0 20px; }
.hint { margin: 4px 0 0; color: light-dark(#57606a, #b7bcbf); font-size: 14px; }
.swagger-ui .opblock-deprecated .opblock-summary-method { background: #5c6470; color: #fff; }
.swagger-ui :is(.info .title, .opblock-tag, .renderedMarkdown) { overflow-wrap: anywhere; }
.swagger-ui :is(.renderedMarkdown pre, .microlight, .model-box, .table-container, .response-col_description) { max-width: 100%; overflow-x: auto; }
`
