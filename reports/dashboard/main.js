const data = JSON.parse(document.getElementById("data").textContent);
document.body.append(`assay report ${data.databases.join(" ")}`);
