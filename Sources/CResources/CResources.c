#include "CResources.h"

// In C, because Swift's compiler takes seconds for each array of bytes.

#pragma clang diagnostic ignored "-Wc23-extensions"

#define RESOURCE(name)                                 \
  Resource resource_##name(void) {                     \
    return (Resource){bytes_of_##name, sizeof bytes_of_##name}; \
  }

static const unsigned char bytes_of_openapi[] = {
#embed "../Services/Description/Resources/openapi.json"
};
RESOURCE(openapi)

static const unsigned char bytes_of_openapi_operator[] = {
#embed "../Services/Description/Resources/openapi-operator.json"
};
RESOURCE(openapi_operator)

static const unsigned char bytes_of_base_css[] = {
#embed "../Services/Pages/Resources/base.css"
};
RESOURCE(base_css)

static const unsigned char bytes_of_board_css[] = {
#embed "../Services/Board/Resources/board.css"
};
RESOURCE(board_css)

static const unsigned char bytes_of_board_js[] = {
#embed "../Services/Board/Resources/board.js"
};
RESOURCE(board_js)

static const unsigned char bytes_of_page_css[] = {
#embed "../Services/Pages/Resources/page.css"
};
RESOURCE(page_css)

static const unsigned char bytes_of_embed_css[] = {
#embed "../Services/Pages/Resources/embed.css"
};
RESOURCE(embed_css)

static const unsigned char bytes_of_icon_svg[] = {
#embed "../Services/Pages/Resources/icon.svg"
};
RESOURCE(icon_svg)

static const unsigned char bytes_of_code_js[] = {
#embed "../Services/Pages/Resources/code.js"
};
RESOURCE(code_js)

static const unsigned char bytes_of_embed_js[] = {
#embed "../Services/Pages/Resources/embed.js"
};
RESOURCE(embed_js)

static const unsigned char bytes_of_texts_en[] = {
#embed "../MailingList/Languages/Texts/en.json"
};
RESOURCE(texts_en)

static const unsigned char bytes_of_texts_de[] = {
#embed "../MailingList/Languages/Texts/de.json"
};
RESOURCE(texts_de)

static const unsigned char bytes_of_texts_fr[] = {
#embed "../MailingList/Languages/Texts/fr.json"
};
RESOURCE(texts_fr)

static const unsigned char bytes_of_texts_es[] = {
#embed "../MailingList/Languages/Texts/es.json"
};
RESOURCE(texts_es)

static const unsigned char bytes_of_texts_zh_hans[] = {
#embed "../MailingList/Languages/Texts/zh-Hans.json"
};
RESOURCE(texts_zh_hans)

static const unsigned char bytes_of_confirm_txt[] = {
#embed "../Delivery/Templates/confirm.txt"
};
RESOURCE(confirm_txt)

static const unsigned char bytes_of_confirm_html[] = {
#embed "../Delivery/Templates/confirm.html"
};
RESOURCE(confirm_html)

static const unsigned char bytes_of_already_txt[] = {
#embed "../Delivery/Templates/already.txt"
};
RESOURCE(already_txt)

static const unsigned char bytes_of_already_html[] = {
#embed "../Delivery/Templates/already.html"
};
RESOURCE(already_html)

static const unsigned char bytes_of_sqlite_tables_sql[] = {
#embed "../SQLiteStorage/Schema/tables.sql"
};
RESOURCE(sqlite_tables_sql)

static const unsigned char bytes_of_tables_sql[] = {
#embed "../PostgreSQLStorage/Schema/SQL/tables.sql"
};
RESOURCE(tables_sql)

static const unsigned char bytes_of_add_sign_ups_sql[] = {
#embed "../PostgreSQLStorage/Schema/SQL/add_sign_ups.sql"
};
RESOURCE(add_sign_ups_sql)

static const unsigned char bytes_of_number_pending_sql[] = {
#embed "../PostgreSQLStorage/Schema/SQL/number_pending.sql"
};
RESOURCE(number_pending_sql)

static const unsigned char bytes_of_guards_sql[] = {
#embed "../PostgreSQLStorage/Schema/SQL/guards.sql"
};
RESOURCE(guards_sql)

static const unsigned char bytes_of_keys_sql[] = {
#embed "../PostgreSQLStorage/Schema/SQL/keys.sql"
};
RESOURCE(keys_sql)

static const unsigned char bytes_of_webhooks_sql[] = {
#embed "../PostgreSQLStorage/Schema/SQL/webhooks.sql"
};
RESOURCE(webhooks_sql)
